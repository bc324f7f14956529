import type { CheckoutLine, CheckoutState } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import { v5AccountId } from '../ids.js';
import type { CommerceContext } from '../commerce-deps.js';
import { isBoughtBy } from '../unlock/unlock.decider.js';
import { changeUnlock } from '../unlock/unlocks.js';
import { type FulfilledSale, isReadyToFulfil, isFulfilled, type Sale } from './checkout.decider.js';
import { changeSale, type CheckoutRef } from './checkouts.js';

const closeMs = 5_000;
const linesAtOnce = 8;

/**
 * Takes a checkout as far as possible without the payer: unlocks what is paid, refunds what cannot be unlocked, and
 * closes it at the account. Every step can be repeated by any process, even concurrently. The first recorded result
 * counts, and the rest follows from it.
 */
export const settle = async (commerce: CommerceContext, sale: Sale): Promise<Sale> => {
  let settled = isReadyToFulfil(sale) ? await fulfil(commerce, sale) : sale;
  if (isFulfilled(settled) && settled.owed.length > 0) settled = await refundOwed(commerce, settled);
  if (isFulfilled(settled)) {
    await releaseCheckout(
      commerce,
      settled,
      settled.lines.map(({ event }) => event),
    );
  } else if (settled.status === 'expired') await releaseCheckout(commerce, settled, []);
  return settled;
};

/** Unlocks each line. If another purchase unlocked an event meanwhile, its price is owed. */
const fulfil = async (commerce: CommerceContext, sale: Sale): Promise<Sale> => {
  const unlocked = new Set<string>();
  await forEachConcurrent(sale.lines, linesAtOnce, async (line) => {
    if (await unlocks(commerce, sale, line)) unlocked.add(line.event);
  });
  const events = sale.lines.map(({ event }) => event);
  return changeSale(commerce, sale, {
    type: 'fulfil',
    unlocked: events.filter((event) => unlocked.has(event)),
    owed: events.filter((event) => !unlocked.has(event)),
  });
};

const unlocks = async (commerce: CommerceContext, { account, id }: Sale, { event }: CheckoutLine): Promise<boolean> => {
  const ref = { account, event, id: v5AccountId(account, `unlock ${id} ${event}`), us: commerce.nowUs() };
  const state = await changeUnlock(commerce.store, ref, { type: 'buy', account, event, checkoutId: id });
  return isBoughtBy(state, id);
};

/** An owed event must not stay unlocked by this checkout, even if another process just unlocked it. */
const refundOwed = async (commerce: CommerceContext, sale: FulfilledSale): Promise<Sale> => {
  for (const event of sale.owed) {
    await lock(commerce, sale, event);
    const price = sale.lines.find((line) => line.event === event)?.price ?? 0;
    await refund(commerce, sale, { event, price });
  }
  return changeSale(commerce, sale, { type: 'refund', events: sale.owed });
};

const refund = async (
  { payments }: CommerceContext,
  { account, id: checkoutId, payment }: Sale,
  { event, price }: { event: string; price: number },
): Promise<void> => {
  if (payment === null || price === 0) return;
  if (payments.mode === 'stub') throw new Error(`the refund of ${event} waits for the payment provider`);
  const id = v5AccountId(account, `refund ${checkoutId} ${event}`);
  await payments.refund({ id, payment, amount: price, checkoutId, event });
};

const lock = async (commerce: CommerceContext, { account, id: checkoutId }: Sale, event: string): Promise<void> => {
  const us = commerce.nowUs();
  const ref = { account, event, id: v5AccountId(account, `revoke ${checkoutId} ${event}`), us };
  await changeUnlock(commerce.store, ref, { type: 'revoke', checkoutId, us });
};

const releaseCheckout = async (
  { accounts }: CommerceContext,
  { account, id }: CheckoutRef,
  events: readonly string[],
): Promise<void> => {
  const open = (await accounts.load(account)).checkout;
  if (open?.id !== id) return;
  const command = { type: 'close-checkout', id, events } as const;
  await accounts.run(account, command, { timeoutMs: closeMs, id: v5AccountId(account, `close ${id}`) });
};

/** The provider reports a payment. It may report it twice, late, or for an expired checkout. */
export const payCheckout = async (commerce: CommerceContext, ref: CheckoutRef, payment: string | null): Promise<Sale> =>
  settle(commerce, await changeSale(commerce, ref, { type: 'pay', payment }));

/** The provider reports that the checkout can no longer be paid. */
export const expireCheckout = async (commerce: CommerceContext, ref: CheckoutRef): Promise<CheckoutState> =>
  settle(
    commerce,
    await changeSale(commerce, ref, { type: 'expire', mode: commerce.payments.mode, us: commerce.nowUs() }),
  );

/** The provider refunded these events, so they are locked again. */
export const revokeUnlocks = async (
  commerce: CommerceContext,
  sale: Sale,
  events: readonly string[],
): Promise<Sale> => {
  const settled = await settle(commerce, sale);
  for (const event of events) await lock(commerce, settled, event);
  return changeSale(commerce, settled, { type: 'refund', events });
};
