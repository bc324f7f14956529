import { randomUUID } from 'node:crypto';
import { currency, DomainError, type HostedSession } from '@almanac/contracts';
import type { Stripe } from 'stripe';
import type { Closed, HostedPayments } from '../payments.js';
import { isMissing, isRefused, type StripeClient } from './client.js';
import type { StripeSettings } from './config.js';
import { sessionIn } from './read-objects.js';
import { retryWithNewKey } from './retry-with-new-key.js';

type Pages = Pick<HostedPayments, 'openCheckout' | 'openSubscription' | 'openPortal' | 'expireCheckout'>;
type NewSession = Stripe.Checkout.SessionCreateParams;
type CallArgs<Method extends 'openCheckout' | 'openSubscription'> = Parameters<HostedPayments[Method]>[0];

/** Stripe accepts 250 characters for a product name. */
const nameCharactersMax = 200;
/** Stripe closes a page at most 24 hours after its creation, which may be an hour after the start. */
const payWithinS = 22 * 3_600;

/** Stripe's payment pages. Our ids travel in their metadata and come back in webhooks. */
export const hostedPages = (client: StripeClient, settings: StripeSettings): Pages => {
  const { api, call } = client;
  const addresses = { success_url: backTo(settings, 'paid'), cancel_url: backTo(settings, 'cancelled') };
  const open = async (id: string, what: Omit<NewSession, 'success_url' | 'cancel_url'>): Promise<HostedSession> => {
    const page = { ...what, ...addresses, client_reference_id: id };
    const make = (idempotencyKey: string) =>
      call('a page of Stripe', () => api.checkout.sessions.create(page, { idempotencyKey }));
    const session = await retryWithNewKey(make, id);
    if (session.url === null) throw new Error(`the page ${session.id} has no address`);
    return { id: session.id, url: session.url, expires_us: session.expires_at * 1e6 };
  };
  return {
    openCheckout: (sale) => open(sale.id, purchase(sale)),
    openSubscription: (upgrade) => open(upgrade.id, subscription(upgrade, settings)),
    openPortal: async (customer) => {
      const page = { customer, return_url: settings.returnUrl };
      const session = await call('the portal of Stripe', () =>
        api.billingPortal.sessions.create(page, { idempotencyKey: randomUUID() }),
      );
      return session.url;
    },
    expireCheckout: ({ id }) => expire(client, id),
  };
};

const backTo = ({ returnUrl }: StripeSettings, end: 'paid' | 'cancelled'): string => {
  const url = new URL(returnUrl);
  url.searchParams.set('checkout', end);
  return url.href;
};

const inCents = { currency: currency.toLowerCase() };

const purchase = ({ id, account, customerId, lines, startedUs }: CallArgs<'openCheckout'>): NewSession => {
  const metadata = { account, checkout: id };
  return {
    mode: 'payment',
    customer: customerId,
    metadata,
    payment_intent_data: { metadata },
    expires_at: Math.floor(startedUs / 1e6) + payWithinS,
    line_items: lines.map(({ event, title, price }) => {
      const product_data = { name: nameOf(title, event), metadata: { event } };
      return { quantity: 1, price_data: { ...inCents, unit_amount: price, product_data } };
    }),
  };
};

const subscription = (upgrade: CallArgs<'openSubscription'>, { prices }: StripeSettings): NewSession => {
  const { id, account, customerId, plan, planName, price } = upgrade;
  const metadata = { account, upgrade: id, plan };
  const known = prices[plan];
  const product_data = { name: `Almanac ${planName}`, metadata: { plan } };
  const session = { ...inCents, unit_amount: price, recurring: { interval: 'month' as const }, product_data };
  return {
    mode: 'subscription',
    customer: customerId,
    metadata,
    subscription_data: { metadata },
    line_items: [{ quantity: 1, ...(known === undefined ? { price_data: session } : { price: known }) }],
  };
};

const nameOf = (title: string | null, event: string): string =>
  (title?.trim() || event).slice(0, nameCharactersMax).toWellFormed();

/** If Stripe refuses to close a page, the page was paid or already closed. Its state shows which. */
const expire = async ({ api, call }: StripeClient, id: string): Promise<Closed> => {
  try {
    await retryWithNewKey(
      (idempotencyKey) => call('closing a page', () => api.checkout.sessions.expire(id, {}, { idempotencyKey })),
      `expire ${id}`,
    );
    return 'expired';
  } catch (error) {
    if (isMissing(error)) return 'expired';
    if (!isRefused(error)) throw error;
  }
  const now = await sessionIn({ api, call }, id);
  if (now === undefined || now.status === 'expired' || now.status === 'failed') return 'expired';
  if (now.status === 'paid') return { payment: now.payment };
  throw new DomainError(
    'conflict',
    'A payment for your last checkout is still in progress. Try again when it is complete.',
    {
      more: { retry_after_s: 60 },
    },
  );
};
