import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { cartResponse, checkoutResponse, tableFormatIds, exportResponse, upgradeResponse } from '@almanac/contracts';
import { refundedOf } from '@almanac/test-stripe';
import { isReady } from './files.js';
import { answerOf, retryUntilFinal, sendWithIdempotencyKey, oneOf, post, type FinalAnswer } from './retry.js';
import type { Trade, Trader } from './traders.js';

const roundsMax = 60;
const cartLooks = 20;
const cartPauseMs = 150;
const streams = [['snapshots'], ['settlement'], ['snapshots', 'settlement', 'l2']] as const;

/** Goes for one event: possibly exports it before it is bought, then buys it, then refunds or exports it. */
export const buyOneEvent = async (trade: Trade): Promise<void> => {
  const { random } = trade;
  const trader = oneOf(trade, trade.traders);
  const event = trader.eventsToBuy.pop();
  if (event === undefined) return;
  if (random() < 0.05) await upgrade(trade, trader);
  // Covered by the free credit or the plan, or refused.
  if (random() < 0.15) await exportEvent(trade, trader, event);
  await buy(trade, trader, event);
  if (random() < 0.05) return refund(trade, trader, event);
  trader.unlocked.push(event);
  assert.equal(await exportEvent(trade, trader, event), 'unlock', 'what is bought is granted by that');
};

/** Exports a bought event again, in any form. */
export const exportAgain = async (trade: Trade): Promise<void> => {
  const some = trade.traders.filter(({ unlocked }) => unlocked.length > 0);
  if (some.length === 0) return;
  const trader = oneOf(trade, some);
  assert.equal(await exportEvent(trade, trader, oneOf(trade, trader.unlocked)), 'unlock');
};

/** Adds an event to the cart, opens the page and pays, until it is unlocked. */
const buy = async (trade: Trade, trader: Trader, event: string): Promise<void> => {
  for (let round = 0; round < roundsMax; round += 1) {
    const added = answerOf(cartResponse, await retryUntilFinal(trade, trader, '/cart/event-exports', post({ event })));
    if (added.already_unlocked === true) return;
    const answer = await checkOut(trade, trader);
    const page = answer.find(({ status }) => status === 200);
    if (page !== undefined) payAt(trade, answerOf(checkoutResponse, page).checkout_url);
    await cartEmpties(trade, trader);
  }
  assert.fail(`${event} was not unlocked in ${roundsMax} rounds`);
};

const checkOut = async (trade: Trade, trader: Trader): Promise<FinalAnswer[]> => {
  const answers =
    trade.random() < 0.2
      ? [await retryUntilFinal(trade, trader, '/cart/checkout', post({}))]
      : await sendWithIdempotencyKey(trade, trader, '/cart/checkout', {});
  // Another request of the same account may have bought the whole cart just now, or be about to.
  for (const { status, code, body } of answers) {
    assert.ok(status === 200 || code === 'cart_empty' || code === 'conflict', JSON.stringify(body));
  }
  return answers;
};

const payAt = (trade: Trade, url: string | null): void => {
  const { ledger, people } = trade.fakeStripe;
  const page = url?.split('/').at(-1) ?? '';
  const session = ledger.session.get(page);
  if (session?.status !== 'open') return;
  people.pay(page);
  if (session.mode === 'payment') trade.counts.purchases += session.lines.length;
};

const cartEmpties = async (trade: Trade, trader: Trader): Promise<void> => {
  for (let look = 0; look < cartLooks; look += 1) {
    const { count } = answerOf(cartResponse, await retryUntilFinal(trade, trader, '/cart'));
    if (count === 0) return;
    await delay(cartPauseMs);
  }
};

const upgrade = async (trade: Trade, trader: Trader): Promise<void> => {
  const body = { tier_id: oneOf(trade, ['pro', 'full_book']) };
  for (const answer of await sendWithIdempotencyKey(trade, trader, '/billing/upgrade', body)) {
    if (answer.code === 'not_an_upgrade' || answer.code === 'conflict') continue;
    payAt(trade, answerOf(upgradeResponse, answer).checkout_url);
  }
};

/** Returns the grant once the file is ready, or undefined when a payment is required. */
const exportEvent = async (trade: Trade, trader: Trader, event: string): Promise<string | null | undefined> => {
  const body = { event, format: oneOf(trade, tableFormatIds), streams: oneOf(trade, streams) };
  const answer = await sendWithIdempotencyKey(trade, trader, '/exports', body);
  // A refusal is not stored under a key: the credit that one request lacked may be back for the other.
  const isRefused = ({ code }: FinalAnswer): boolean => code === 'payment_required' && !trader.unlocked.includes(event);
  const [one, ...others] = answer.filter((each) => !isRefused(each)).map((each) => answerOf(exportResponse, each));
  if (one === undefined) return undefined;
  for (const other of others) assert.equal(other.id, one.id, 'one key, one export');
  trade.granted.push({ trader, id: one.id });
  await isReady(trade, trader, one.id);
  return one.grant;
};

/** Refunds an event in Stripe's dashboard. */
const refund = ({ fakeStripe: { ledger, people } }: Trade, { account }: Trader, event: string): void => {
  for (const session of ledger.session.values()) {
    const isIts =
      session.metadata['account'] === account && session.lines.some(({ metadata }) => metadata['event'] === event);
    const charge = ledger.payment.get(session.payment ?? '')?.charge ?? '';
    const isUnrefunded = ledger.charge.has(charge) && refundedOf(ledger, charge) === 0;
    if (isIts && isUnrefunded && session.lines.length === 1) people.refund(session.payment ?? '');
  }
};
