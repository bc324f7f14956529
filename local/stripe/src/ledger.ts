import { randomBytes } from 'node:crypto';
import { noSuch } from './refusal.js';

export const currency = 'usd';

export interface Customer {
  readonly id: string;
  readonly created: number;
  email: string | null;
  metadata: Record<string, string>;
  deleted: boolean;
}

export interface Line {
  readonly name: string;
  /** Minor units. */
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Session {
  readonly id: string;
  readonly created: number;
  readonly mode: 'payment' | 'subscription';
  readonly customer: string;
  readonly lines: readonly Line[];
  /** For a subscription the id of a configured price, otherwise null. */
  readonly price: string | null;
  readonly metadata: Record<string, string>;
  readonly reference: string | null;
  /** The metadata for the payment or the subscription. */
  readonly childMetadata: Record<string, string>;
  readonly expiresAt: number;
  readonly url: string;
  readonly successUrl: string;
  readonly cancelUrl: string | null;
  status: 'open' | 'complete' | 'expired';
  paymentStatus: 'paid' | 'unpaid';
  payment: string | null;
  subscription: string | null;
}

export interface Payment {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly customer: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: 'processing' | 'succeeded' | 'requires_payment_method';
  charge: string | null;
}

export interface Charge {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly customer: string;
  readonly payment: string;
  readonly metadata: Readonly<Record<string, string>>;
  disputed: boolean;
}

export interface Refund {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly charge: string;
  readonly payment: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: 'succeeded' | 'failed';
}

export interface Subscription {
  readonly id: string;
  readonly created: number;
  readonly customer: string;
  readonly metadata: Readonly<Record<string, string>>;
  price: string;
  amount: number;
  status: 'active' | 'past_due' | 'unpaid' | 'canceled';
  periodStart: number;
  periodEnd: number;
  invoice: string;
}

export interface Invoice {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly customer: string;
  readonly subscription: string;
  status: 'paid' | 'open';
}

export interface Dispute {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly charge: string;
  readonly payment: string;
  status: 'needs_response' | 'won' | 'lost';
}

/** All objects of the fake, each kind by id. */
export const createLedger = () => ({
  customer: new Map<string, Customer>(),
  session: new Map<string, Session>(),
  payment: new Map<string, Payment>(),
  charge: new Map<string, Charge>(),
  refund: new Map<string, Refund>(),
  subscription: new Map<string, Subscription>(),
  invoice: new Map<string, Invoice>(),
  dispute: new Map<string, Dispute>(),
});
export type Ledger = ReturnType<typeof createLedger>;

export const find = <T>(kind: string, from: ReadonlyMap<string, T>, id: string): T => {
  const found = from.get(id);
  if (found === undefined) throw noSuch(kind, id);
  return found;
};

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** Unix seconds. */
export const nowS = (): number => Math.floor(Date.now() / 1_000);

export const refundedOf = (ledger: Ledger, charge: string): number =>
  [...ledger.refund.values()]
    .filter((refund) => refund.charge === charge && refund.status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
