import { uuidV5 } from '@almanac/runtime';
import type { StripeEventState } from '@almanac/contracts';
import type { HostedPayments } from '../payments.js';
import { type ClientOptions, createClient, isMissing, isRefused, type StripeClient } from './client.js';
import type { StripeSettings } from './config.js';
import { hostedPages } from './hosted-pages.js';
import {
  accountOfCustomer,
  isDisputeLost,
  orMissing,
  type StripeRefund,
  refundsOf,
  type StripeSession,
  sessionIn,
  sessionOfPayment,
  type StripeSubscription,
  subscriptionsOf,
} from './read-objects.js';
import { retryWithNewKey } from './retry-with-new-key.js';
import { readWebhook } from './webhook.js';

export type { StripeRefund, StripeSession, StripeSubscription } from './read-objects.js';

/** Stripe's payment pages and the state of its objects. Only this folder uses the SDK. */
export interface StripePayments extends HostedPayments {
  readWebhook(webhook: { readonly body: Uint8Array; readonly signature: string }): StripeEventState | null;
  /** Undefined if Stripe no longer has the page. */
  session(id: string): Promise<StripeSession | undefined>;
  sessionOfPayment(payment: string): Promise<StripeSession | undefined>;
  subscriptionsOf(customer: string): Promise<StripeSubscription[]>;
  accountOfCustomer(customer: string): Promise<string | undefined>;
  refundsOf(payment: string): Promise<StripeRefund[]>;
  isDisputeLost(payment: string): Promise<boolean>;
  refundAll(payment: string): Promise<void>;
  /** Ends it at once. The rest of the paid month is credited to the customer's next bills. */
  endSubscription(id: string): Promise<void>;
}

export const stripePayments = (settings: StripeSettings, options: ClientOptions = {}): StripePayments => {
  const client = createClient(settings, options);
  const { api, call } = client;
  return {
    mode: 'stripe',
    ...hostedPages(client, settings),
    createCustomer: async (account, deletions = 0) => {
      const customer = { metadata: { account } };
      const key = uuidV5(`stripe customer\n${account}${deletions === 0 ? '' : `\n${deletions}`}`);
      const make = (idempotencyKey: string) =>
        call('making a customer', () => api.customers.create(customer, { idempotencyKey }));
      return (await retryWithNewKey(make, key)).id;
    },
    refund: ({ id, payment, amount, checkoutId: checkout, event }) =>
      refundOnce(client, { id, payment, amount, about: { checkout, event } }),
    deleteCustomer: async (id) => {
      await orMissing(call('deleting a customer', () => api.customers.del(id)));
    },
    refundAll: (payment) => refundOnce(client, { id: uuidV5(`stripe refund\n${payment}`), payment }),
    readWebhook: (webhook) => readWebhook(api.webhooks, settings.webhookSecret, webhook),
    session: (id) => sessionIn(client, id),
    sessionOfPayment: (payment) => sessionOfPayment(client, payment),
    subscriptionsOf: (customer) => subscriptionsOf(client, settings, customer),
    accountOfCustomer: (customer) => accountOfCustomer(client, customer),
    refundsOf: (payment) => refundsOf(client, payment),
    isDisputeLost: (payment) => isDisputeLost(client, payment),
    endSubscription: async (id) => {
      try {
        await call('ending a subscription', () => api.subscriptions.cancel(id, { prorate: true, invoice_now: true }));
      } catch (error) {
        // It had already ended.
        if (!isMissing(error) && !isRefused(error)) throw error;
      }
    },
  };
};

/** Stripe forgets an idempotency key after a day, so existing refunds are checked first: each carries our own id. */
const refundOnce = async (
  client: StripeClient,
  { id, payment, amount, about = {} }: { id: string; payment: string; amount?: number; about?: Record<string, string> },
): Promise<void> => {
  const before = await refundsOf(client, payment);
  if (before.some(({ own }) => own === id)) return;
  const metadata = { refund: id, ...about };
  const refundParams = { payment_intent: payment, metadata, ...(amount === undefined ? {} : { amount }) };
  try {
    await client.call('a refund', () => client.api.refunds.create(refundParams, { idempotencyKey: id }));
  } catch (error) {
    // The payment may have been refunded completely in Stripe's dashboard.
    const left = isRefused(error) ? await client.call('reading a payment', () => leftOf(client, payment)) : 1;
    if (left > 0) throw error;
  }
};

/** The part of a payment that is not refunded, in minor units. */
const leftOf = async ({ api }: StripeClient, payment: string): Promise<number> => {
  const intent = await api.paymentIntents.retrieve(payment, { expand: ['latest_charge'] });
  const charge = intent.latest_charge;
  return typeof charge === 'object' && charge !== null
    ? charge.amount - charge.amount_refunded
    : intent.amount_received;
};
