import type { CheckoutLine, HostedSession, SoldPlanId } from '@almanac/contracts';

/** `stub`: nothing is charged, and requests succeed at once. `stripe`: payment pages, with reports that come later. */
export type Payments = { readonly mode: 'stub' } | HostedPayments;

/** The result of closing a page: it expired, or it had already been paid with this payment. */
export type Closed = 'expired' | { readonly payment: string | null };

/**
 * A payment provider. Every call can be repeated after a crash with the same ids and arguments and has no second
 * effect: the ids are its idempotency keys. Throws `unavailable` if the provider does not answer.
 */
export interface HostedPayments {
  readonly mode: 'stripe';
  /** The provider's customer id of an account, created on the first call. Each deletion leads to a new one. */
  createCustomer(account: string, deletions?: number): Promise<string>;
  /** Creates a page that sells exactly these lines at these prices. */
  openCheckout(sale: {
    readonly id: string;
    readonly account: string;
    readonly customerId: string;
    readonly lines: readonly CheckoutLine[];
    /** Integer microseconds. All times of the page derive from it, so a repeated call has equal arguments. */
    readonly startedUs: number;
  }): Promise<HostedSession>;
  /** Closes a page so that nobody can pay on it, or reports that somebody has. */
  expireCheckout(session: HostedSession): Promise<Closed>;
  /** Refunds the price of one line. `id` names the refund. */
  refund(refund: {
    readonly id: string;
    readonly payment: string;
    readonly amount: number;
    readonly checkoutId: string;
    readonly event: string;
  }): Promise<void>;
  /** Creates a page that begins a subscription. Paying it ends an existing one. */
  openSubscription(upgrade: {
    readonly id: string;
    readonly account: string;
    readonly customerId: string;
    readonly plan: SoldPlanId;
    readonly planName: string;
    readonly price: number;
    readonly startedUs: number;
  }): Promise<HostedSession>;
  /** The address of the customer's own page for cards, invoices and cancelling. */
  openPortal(customerId: string): Promise<string>;
  /** Ends the customer's subscriptions and deletes the personal data. */
  deleteCustomer(customerId: string): Promise<void>;
}
