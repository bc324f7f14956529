import type { Logger } from '@almanac/runtime';
import { loadCheckout } from '../checkout/checkouts.js';
import type { Sale } from '../checkout/checkout.decider.js';
import { expireCheckout, payCheckout, revokeUnlocks } from '../checkout/fulfil.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { StripeSession, StripePayments } from '../stripe/stripe.js';
import { refundedLines } from './refunded-lines.js';

export interface StripeEventDeps {
  readonly commerce: CommerceContext;
  readonly stripe: StripePayments;
  readonly log: Logger;
  /** How long a plan continues after its renewal failed. */
  readonly graceUs: number;
}

/** Updates a checkout to its page's current state at Stripe, so order and number of events do not matter. */
export const applyCheckout = async (
  deps: StripeEventDeps,
  session: StripeSession,
  ref: { account: string; id: string },
): Promise<void> => {
  const { commerce, log } = deps;
  const sale = await loadCheckout(commerce, ref);
  if (sale === undefined || sale.status === 'joined') {
    // Another system sells through the same Stripe account.
    log.warn({ session: session.id, checkout: ref.id }, 'ignored a payment page of an unknown checkout');
    return;
  }
  if (session.status === 'paid') await paid(deps, session, sale);
  const isOver = session.status === 'expired' || session.status === 'failed';
  // No client got the address of this page, so it does not decide about the checkout.
  if (isOver && sale.session?.id === session.id) await expireCheckout(commerce, ref);
};

const paid = async ({ commerce, stripe, log }: StripeEventDeps, session: StripeSession, sale: Sale): Promise<void> => {
  const { payment, total } = session;
  if (total !== sale.total) {
    throw new Error(`the page ${session.id} took ${total}, and the checkout ${sale.id} costs ${sale.total}`);
  }
  const settled = await payCheckout(commerce, sale, payment);
  if (payment === null) return;
  if (settled.payment !== payment) {
    log.warn({ checkout: sale.id, payment }, 'a checkout was paid twice; refunding the second payment');
    await stripe.refundAll(payment);
    return;
  }
  const isLost = await stripe.isDisputeLost(payment);
  const all = settled.lines.map(({ event }) => event);
  const events = isLost ? all : refundedLines(settled.lines, await stripe.refundsOf(payment));
  if (events.length > 0) await revokeUnlocks(commerce, settled, events);
};
