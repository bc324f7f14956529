import type { SoldPlanId } from '@almanac/contracts';
import { soldPlanId } from '@almanac/contracts';
import type { Stripe } from 'stripe';
import { isMissing, type StripeClient } from './client.js';
import type { StripeSettings } from './config.js';

/** The current state of a page. `failed`: the page was used, but the payment failed. */
export interface StripeSession {
  readonly id: string;
  /** Null for sales of other systems through the same Stripe account. */
  readonly purpose: { readonly kind: 'checkout' | 'upgrade'; readonly account: string; readonly id: string } | null;
  readonly status: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  readonly payment: string | null;
  /** Minor units. */
  readonly total: number | null;
}

export interface StripeSubscription {
  readonly id: string;
  readonly status: string;
  /** Null for a subscription that is not ours. */
  readonly plan: SoldPlanId | null;
  readonly periodEndUs: number;
  readonly createdUs: number;
}

export interface StripeRefund {
  readonly amount: number;
  /** The event of the refunded line, if the metadata names one. The dashboard can set it too. */
  readonly event: string | null;
  /** Our refund id, if we made the refund. */
  readonly own: string | null;
}

export const sessionIn = async ({ api, call }: StripeClient, id: string): Promise<StripeSession | undefined> => {
  const session = await orMissing(
    call('reading a page', () => api.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })),
  );
  return session && sessionOf(session);
};

export const sessionOfPayment = async (client: StripeClient, payment: string): Promise<StripeSession | undefined> => {
  const { api, call } = client;
  const found = await call('finding a page', () => api.checkout.sessions.list({ payment_intent: payment, limit: 1 }));
  const id = found.data[0]?.id;
  return id === undefined ? undefined : sessionIn(client, id);
};

const sessionOf = (session: Stripe.Checkout.Session): StripeSession => {
  const { account, checkout, upgrade } = session.metadata ?? {};
  const kind = checkout === undefined ? 'upgrade' : 'checkout';
  const id = checkout ?? upgrade;
  return {
    id: session.id,
    purpose: account === undefined || id === undefined ? null : { kind, account, id },
    status: statusOf(session),
    payment: idOf(session.payment_intent),
    total: session.amount_total,
  };
};

const statusOf = ({ status, payment_status, payment_intent }: Stripe.Checkout.Session): StripeSession['status'] => {
  if (status === 'open') return 'open';
  if (status === 'expired') return 'expired';
  if (payment_status === 'paid' || payment_status === 'no_payment_required') return 'paid';
  const payment = typeof payment_intent === 'object' ? payment_intent?.status : undefined;
  return payment === 'requires_payment_method' || payment === 'canceled' ? 'failed' : 'processing';
};

/** All subscriptions that have not ended, newest first. */
export const subscriptionsOf = async (
  { api, call }: StripeClient,
  settings: StripeSettings,
  customer: string,
): Promise<StripeSubscription[]> => {
  const found = await call('reading subscriptions', () => api.subscriptions.list({ customer, limit: 100 }));
  return found.data.map((subscription) => {
    const { id, status, created, items } = subscription;
    const periodEnd = Math.max(0, ...items.data.map((item) => item.current_period_end));
    return { id, status, plan: planOf(subscription, settings), periodEndUs: periodEnd * 1e6, createdUs: created * 1e6 };
  });
};

/** The price decides, because the portal can change it. Otherwise the metadata from the sale decides. */
const planOf = ({ items, metadata }: Stripe.Subscription, { prices }: StripeSettings): SoldPlanId | null => {
  const price = items.data[0]?.price.id;
  const named = soldPlanId.options.find((plan) => prices[plan] !== undefined && prices[plan] === price);
  return named ?? soldPlanId.safeParse(metadata['plan']).data ?? null;
};

export const accountOfCustomer = async ({ api, call }: StripeClient, id: string): Promise<string | undefined> => {
  const customer = await orMissing(call('reading a customer', () => api.customers.retrieve(id)));
  return customer === undefined || customer.deleted === true ? undefined : customer.metadata['account'];
};

/** The refunds of a payment, without failed and cancelled ones. */
export const refundsOf = async ({ api, call }: StripeClient, payment: string): Promise<StripeRefund[]> => {
  const found = await call('reading refunds', () => api.refunds.list({ payment_intent: payment, limit: 100 }));
  return found.data
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .map(({ amount, metadata }) => ({
      amount,
      event: metadata?.['event'] ?? null,
      own: metadata?.['refund'] ?? null,
    }));
};

/** Whether the bank took the money back for good. */
export const isDisputeLost = async ({ api, call }: StripeClient, payment: string): Promise<boolean> => {
  const found = await call('reading disputes', () => api.disputes.list({ payment_intent: payment, limit: 10 }));
  return found.data.some(({ status }) => status === 'lost');
};

export const idOf = (reference: string | { readonly id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

/** Undefined if Stripe does not have the object. */
export const orMissing = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};
