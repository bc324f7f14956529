import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { marketsResponse } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import { storeGeneratedArchive } from '@almanac/system';
import { type Receiver, receiverAt, type StandIn, startStripeStandIn } from '@almanac/test-stripe';
import { eventually, seeded } from '@almanac/testing';
import { type RunningSystem, startRunning } from '../running.js';
import { exportAgain, goForOne } from './deeds.js';
import { haveFile } from './files.js';
import { type Deck, freezeExport, type Havoc, killer, wreak } from './havoc.js';
import { oneOf } from './insist.js';
import { watchKeys } from './key-watch.js';
import { reckon } from './reckoning.js';
import type { Trade } from './traders.js';
import { deadLetters, readTruth } from './truth.js';

const sweepAfterS = 3;
const lanes = 6;
const burstSize = 4;
const answersBetween = 100;
/** Longer than the sweep needs to give up what the export service has reserved. */
const freezeMs = (sweepAfterS + 3) * 1_000;
const failures = ['lock_timeout', 'rate_limited', 'unavailable', 'cut', 'cut_after', 'error_after'] as const;
/** What is tested is not the limits: a client that must wait for a minute is in the middle of nothing. */
const unlimited = { requestsPerMinute: null, exportsPerDay: null, exportsPending: null, apiKeys: null };
const terms = { PLAN_TERMS: JSON.stringify({ free: unlimited, pro: unlimited, full_book: unlimited }) };

export interface ChaosOptions {
  /** Events that are bought, one by one, each exported afterwards. */
  readonly purchases: number;
  readonly accounts: number;
  readonly seed: number;
}

/**
 * People buy and export at two gateways while services die and freeze. When all is over, what each account was charged
 * is what it has unlocked, every export that was granted has its file, and every key is answered rightly. A seed
 * decides what is done, though not at which moment; ALMANAC_MONEY_SEED sets it.
 */
export const moneySurvives = (options: ChaosOptions): void => {
  const seed = Number(process.env['ALMANAC_MONEY_SEED'] ?? options.seed);
  void describe(`${options.purchases} purchases with exports, amid kill -9 and SIGSTOP`, () => {
    void it(`leave unlocked what is paid, a file for each grant, and no key in doubt (seed ${seed})`, async (test) => {
      const standIn = await startStripeStandIn();
      const { secretKey, webhookSecret, url } = standIn;
      const stripe = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: url };
      const sweeps = { SWEEP_AFTER_S: String(sweepAfterS), SWEEP_EVERY_S: '1', CHECKOUT_SWEEP_AFTER_S: '5' };
      const environment = { commerce: { ...terms, ...stripe, ...sweeps }, keys: terms, gateway: terms };
      const running = await startRunning({ gateways: 2, environment });
      try {
        const trade = await openTrade(running, standIn, { ...options, seed });
        const figures = await tradeAmidHavoc(running, trade, options.purchases);
        const end = await reckonAll(running, trade);
        test.diagnostic(JSON.stringify({ ...figures, ...end }));
      } finally {
        await running.stop();
        await standIn.stop();
      }
    });
  });
};

const openTrade = async (running: RunningSystem, standIn: StandIn, options: ChaosOptions): Promise<Trade> => {
  const random = seeded(options.seed);
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const people = await Promise.all(Array.from({ length: options.accounts }, () => running.clients('free')));
  const { markets } = await (people[0]?.[0] ?? assert.fail()).json(marketsResponse, '/markets?days=7&limit=200');
  const events = [...new Set(markets.map(({ event_ticker: event }) => event ?? ''))];
  const traders = people.map((apis) => {
    const { keyId } = parseApiKey(apis[0]?.key ?? '') ?? assert.fail('no key');
    return { account: accountOfKey(keyId), apis, wanted: [...events], unlocked: [] };
  });
  standIn.webhooks.send(anyOf(running, random));
  standIn.faults.always(0.05, failures, random);
  const counts = { purchases: 0, doubled: 0, answered: 0, again: 0 };
  return { standIn, random, traders, granted: [], over: new AbortController(), counts };
};

/** Webhooks come in at any gateway. */
const anyOf = ({ system }: RunningSystem, random: () => number): Receiver => {
  const receivers = system.baseUrls.map((url) => receiverAt(`${url}/webhooks/stripe`));
  return (body, signature) => oneOf({ random }, receivers)(body, signature);
};

const tradeAmidHavoc = async ({ system }: RunningSystem, trade: Trade, purchases: number) => {
  const began = performance.now();
  const work: Promise<void>[] = [];
  const begin = (one: Promise<void>): void => {
    // The first that fails ends it all, and is what the test tells.
    one.catch((error: unknown) => trade.over.abort(error));
    work.push(one);
  };
  const burst = (): void => {
    for (let count = 0; count < burstSize; count += 1) begin(exportAgain(trade));
  };
  const watch = watchKeys(trade, system.baseUrls);
  const kill = killer(system, trade.random);
  const amid = (act: () => Promise<void>) => async (): Promise<void> => {
    burst();
    // A request is in the middle of its way through three services for some milliseconds.
    await delay(trade.random() * 60);
    await act();
  };
  const breaksExport = { ...kill('export'), 'freeze export': () => freezeExport(system, freezeMs) };
  const decks: Deck[] = [
    { ...kill('commerce'), ...kill('keys'), ...kill('gateway'), ...kill('gateway-2') },
    Object.fromEntries(Object.entries(breaksExport).map(([name, act]) => [name, amid(act)])),
  ];
  const havoc = wreak(decks, {
    random: trade.random,
    over: trade.over,
    progress: () => trade.counts.answered,
    progressBetween: answersBetween,
  });
  for (let lane = 0; lane < lanes; lane += 1) begin(tradeUntil(trade, purchases, havoc));
  await Promise.allSettled(work);
  await havoc.stop();
  await Promise.allSettled(work);
  await watch.stop().catch((error: unknown) => trade.over.abort(error));
  trade.over.signal.throwIfAborted();
  assert.ok(trade.counts.purchases >= purchases, `${trade.counts.purchases} purchases`);
  const { live, revoked, latestMs } = watch;
  const keys = { live, revoked, latest_ms: latestMs() };
  return { seconds: Math.round((performance.now() - began) / 1_000), havoc: havoc.done, keys, ...trade.counts };
};

/** Until enough is bought and everything has been broken. */
const tradeUntil = async (trade: Trade, purchases: number, havoc: Havoc): Promise<void> => {
  const isLeft = (): boolean => trade.traders.some(({ wanted }) => wanted.length > 0);
  while (isLeft() && (trade.counts.purchases < purchases || !havoc.isWhole())) await goForOne(trade);
};

const reckonAll = async (running: RunningSystem, trade: Trade) => {
  const { standIn, random } = trade;
  standIn.faults.clear();
  const honest = async () => {
    const truth = await readTruth(running.system);
    for (const { account } of trade.traders) reckon(truth.get(account) ?? assert.fail(account), standIn);
    return truth;
  };
  const restMs = { timeoutMs: 120_000 };
  await eventually(honest, restMs);
  // Every webhook once more, in any order: there is nothing left for it to do.
  const shuffled = standIn.webhooks.events.map((event) => ({ event, at: random() }));
  const again = shuffled.toSorted((one, other) => one.at - other.at).map(({ event }) => event);
  await standIn.webhooks.deliver(anyOf(running, random), again);
  const truth = await eventually(honest, restMs);
  for (const { trader, id } of trade.granted) await haveFile(trader.apis[0] ?? assert.fail('no gateway'), id);
  assert.deepEqual(standIn.violations, []);
  assert.equal(await deadLetters(running.system), 0, 'nothing was put aside');
  const exports = [...truth.values()].flatMap((one) => one.exports.map(({ state }) => state.status));
  const { charge, refund, subscription } = standIn.ledger;
  const sums = { charges: charge.size, refunds: refund.size, subscriptions: subscription.size };
  return { ...sums, webhooks: again.length, exports: countsOf(exports), files: trade.granted.length };
};

const countsOf = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, its]) => [word, its.length]));
