import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { cartResponse, checkoutResponse, tableFormatIds, exportResponse, upgradeResponse } from '@almanac/contracts';
import { refundedOf } from '@almanac/fake-stripe';
import { post } from '../api.js';
import { isReady } from './files.js';
import { answerOf, retryUntilFinal, sendWithIdempotencyKey, oneOf, type FinalAnswer } from './retry.js';
import type { PurchaseRun, Buyer } from './purchase-run.js';

const roundsMax = 60;
const cartLooks = 20;
const cartPauseMs = 150;
const streams = [['snapshots'], ['settlement'], ['snapshots', 'settlement', 'l2']] as const;

/** Goes for one event: possibly exports it before it is bought, then buys it, then refunds or exports it. */
export const buyOneEvent = async (run: PurchaseRun): Promise<void> => {
  const { random } = run;
  const buyer = oneOf(run, run.buyers);
  const event = buyer.eventsToBuy.pop();
  if (event === undefined) return;
  if (random() < 0.05) await upgrade(run, buyer);
  // Covered by the free credit or the plan, or refused.
  if (random() < 0.15) await exportEvent(run, buyer, event);
  // What the plan covers is not for sale.
  if (!(await buy(run, buyer, event))) return void (await exportEvent(run, buyer, event));
  if (random() < 0.05) return refund(run, buyer, event);
  buyer.unlocked.push(event);
  assert.equal(await exportEvent(run, buyer, event), 'unlock', 'what is bought is granted by that');
};

/** Exports a bought event again, in any form. */
export const exportAgain = async (run: PurchaseRun): Promise<void> => {
  const some = run.buyers.filter(({ unlocked }) => unlocked.length > 0);
  if (some.length === 0) return;
  const buyer = oneOf(run, some);
  assert.equal(await exportEvent(run, buyer, oneOf(run, buyer.unlocked)), 'unlock');
};

/** Adds an event to the cart, opens the page and pays, until it is unlocked. False if the plan covers it. */
const buy = async (run: PurchaseRun, buyer: Buyer, event: string): Promise<boolean> => {
  for (let round = 0; round < roundsMax; round += 1) {
    const added = answerOf(cartResponse, await retryUntilFinal(run, buyer, '/cart/event-exports', post({ event })));
    if (added.already_unlocked === true) return true;
    if (added.items.some((item) => item.event === event && item.covered_by === 'plan')) {
      await retryUntilFinal(run, buyer, `/cart/event-exports/${encodeURIComponent(event)}`, { method: 'DELETE' });
      return false;
    }
    const answer = await checkOut(run, buyer);
    const page = answer.find(({ status }) => status === 200);
    if (page !== undefined) payAt(run, answerOf(checkoutResponse, page).checkout_url);
    await cartEmpties(run, buyer);
  }
  return assert.fail(`${event} was not unlocked in ${roundsMax} rounds`);
};

const checkOut = async (run: PurchaseRun, buyer: Buyer): Promise<FinalAnswer[]> => {
  const answers =
    run.random() < 0.2
      ? [await retryUntilFinal(run, buyer, '/cart/checkout', post({}))]
      : await sendWithIdempotencyKey(run, buyer, '/cart/checkout', {});
  // Another request of the same account may have bought the whole cart just now, or be about to.
  for (const { status, code, body } of answers) {
    assert.ok(status === 200 || code === 'cart_empty' || code === 'conflict', JSON.stringify(body));
  }
  return answers;
};

const payAt = (run: PurchaseRun, url: string | null): void => {
  const { ledger, people } = run.fakeStripe;
  const page = url?.split('/').at(-1) ?? '';
  const session = ledger.session.get(page);
  if (session?.status !== 'open') return;
  people.pay(page);
  if (session.mode === 'payment') run.counts.purchases += session.lines.length;
};

const cartEmpties = async (run: PurchaseRun, buyer: Buyer): Promise<void> => {
  for (let look = 0; look < cartLooks; look += 1) {
    const { count } = answerOf(cartResponse, await retryUntilFinal(run, buyer, '/cart'));
    if (count === 0) return;
    await delay(cartPauseMs);
  }
};

const upgrade = async (run: PurchaseRun, buyer: Buyer): Promise<void> => {
  const body = { tier_id: oneOf(run, ['pro', 'full_book']) };
  for (const answer of await sendWithIdempotencyKey(run, buyer, '/billing/upgrade', body)) {
    if (answer.code === 'not_an_upgrade' || answer.code === 'conflict') continue;
    payAt(run, answerOf(upgradeResponse, answer).checkout_url);
  }
};

/** Returns the grant once the file is ready, or undefined when a payment is required. */
const exportEvent = async (run: PurchaseRun, buyer: Buyer, event: string): Promise<string | null | undefined> => {
  const body = { event, format: oneOf(run, tableFormatIds), streams: oneOf(run, streams) };
  const answer = await sendWithIdempotencyKey(run, buyer, '/exports', body);
  // A refusal is not stored under a key: the credit that one request lacked may be back for the other.
  const isRefused = ({ code }: FinalAnswer): boolean => code === 'payment_required' && !buyer.unlocked.includes(event);
  const [one, ...others] = answer.filter((each) => !isRefused(each)).map((each) => answerOf(exportResponse, each));
  if (one === undefined) return undefined;
  for (const other of others) assert.equal(other.id, one.id, 'one key, one export');
  run.granted.push({ buyer, id: one.id });
  await isReady(run, buyer, one.id);
  return one.grant;
};

/** Refunds an event in Stripe's dashboard. */
const refund = ({ fakeStripe: { ledger, people } }: PurchaseRun, { account }: Buyer, event: string): void => {
  for (const session of ledger.session.values()) {
    const isIts =
      session.metadata['account'] === account && session.lines.some(({ metadata }) => metadata['event'] === event);
    const charge = ledger.payment.get(session.payment ?? '')?.charge ?? '';
    const isUnrefunded = ledger.charge.has(charge) && refundedOf(ledger, charge) === 0;
    if (isIts && isUnrefunded && session.lines.length === 1) people.refund(session.payment ?? '');
  }
};
