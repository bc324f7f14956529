import { type Bus, consume, durables, type Running } from '@almanac/bus';
import { type StripeEventState, stripeEventState } from '@almanac/contracts';
import type { StripeSession } from '../stripe/stripe.js';
import { changeUpgrade, loadUpgrade } from '../upgrade/upgrades.js';
import { applyCheckout, type StripeEventDeps } from './apply-checkout.js';
import { syncSubscription } from './sync-subscription.js';

/** About eight hours of retries while Stripe is unavailable. */
const deliveriesMax = 2_000;
const workingMs = 3_000;

/** Applies Stripe events. An event only says where to look: the state comes from Stripe's API. */
export const applyStripeEvents = (bus: Bus, deps: StripeEventDeps): Promise<Running> =>
  consume(bus, {
    stream: 'EVT_STRIPE',
    durable: durables.commerceStripe,
    state: stripeEventState,
    concurrency: 4,
    deliveriesMax,
    onFailure: (error, { subject, seq }, next) =>
      deps.log.warn({ err: error, subject, seq, next }, 'a Stripe event could not be applied'),
    handle: async ({ event: { state } }, { working }) => {
      // Stripe may be slower than the ack wait, which is short so that a crash is repaired soon.
      const busy = setInterval(working, workingMs);
      try {
        await applyStripeEvent(deps, state);
      } finally {
        clearInterval(busy);
      }
    },
  });

const applyStripeEvent = async (deps: StripeEventDeps, event: StripeEventState): Promise<void> => {
  const { stripe, log } = deps;
  const { type, session, payment, customer } = event;
  if (type === 'charge.dispute.created')
    log.warn({ payment }, 'a payment is disputed; its unlocks stay unless the dispute is lost');
  if (session !== null) return applySession(deps, await stripe.session(session));
  if (type.startsWith('charge.')) {
    return payment === null ? undefined : applySession(deps, await stripe.sessionOfPayment(payment));
  }
  const account = event.account ?? (customer === null ? undefined : await stripe.accountOfCustomer(customer));
  if (account !== undefined) await syncSubscription(deps, account);
};

const applySession = async (deps: StripeEventDeps, session: StripeSession | undefined): Promise<void> => {
  const { commerce, log } = deps;
  // Deleted at Stripe, or not ours.
  if (!session?.purpose) return;
  const { kind, ...ref } = session.purpose;
  if (kind === 'checkout') return applyCheckout(deps, session, ref);
  const upgrade = await loadUpgrade(commerce, ref);
  if (upgrade === undefined) {
    log.warn({ session: session.id, upgrade: ref.id }, 'ignored a payment page of an unknown upgrade');
  } else if (session.status === 'paid') {
    await syncSubscription(deps, ref.account);
    await changeUpgrade(commerce, ref, { type: 'complete' });
  } else if (session.status === 'expired' && upgrade.session?.id === session.id) {
    await changeUpgrade(commerce, ref, { type: 'expire' });
  }
};
