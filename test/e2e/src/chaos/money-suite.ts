import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { marketsResponse } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import { storeGeneratedArchive } from '@almanac/operator';
import { type Receiver, receiverAt, type FakeStripe, startFakeStripe } from '@almanac/fake-stripe';
import { eventually, seededRandom, testNumber } from '@almanac/testing';
import { type SystemHarness, startHarness } from '../harness.js';
import { exportAgain, buyOneEvent } from './operations.js';
import { assertFileStored } from './files.js';
import { type FaultSet, freezeExport, type FaultInjector, killFaults, injectFaults } from './fault-injector.js';
import { oneOf } from './retry.js';
import { watchKeys } from './key-watch.js';
import { assertInvariants } from './invariants.js';
import type { PurchaseRun } from './purchase-run.js';
import { deadLetters, readStoredAccounts } from './stored-state.js';

const sweepAfterS = 3;
const workers = 6;
const webhookBurst = 4;
const answersBetween = 100;
/** Longer than the sweep needs to release a reservation of the export service. */
const freezeMs = (sweepAfterS + 3) * 1_000;
const failures = ['lock_timeout', 'rate_limited', 'unavailable', 'cut', 'cut_after', 'error_after'] as const;
/** Without limits, since a client that waits for a minute would test nothing. */
const unlimited = { requestsPerMinute: null, exportsPerDay: null, exportsPending: null, apiKeys: null };
export const unlimitedTerms = { PLAN_TERMS: JSON.stringify({ free: unlimited, pro: unlimited, full_book: unlimited }) };

export interface ChaosOptions {
  /** The number of events to buy, each exported afterwards. */
  readonly purchases: number;
  readonly accounts: number;
  readonly seed: number;
}

/**
 * People buy and export at two gateways while services die and freeze. In the end each account has unlocked what it was
 * charged for, every granted export has its file, and every key is answered correctly. A seed fixes the operations, but
 * not their timing.
 */
export const chargesSurviveFaults = (options: ChaosOptions): void => {
  const seed = testNumber('seed', options.seed);
  void describe(`${options.purchases} purchases with exports under kill -9 and SIGSTOP`, () => {
    void it(`unlock exactly what is paid, with a file for each grant and a working answer for each key (--seed ${seed})`, async (test) => {
      const fakeStripe = await startFakeStripe();
      // Revoked keys are checked all the time, from one address.
      const gateway = { ...unlimitedTerms, FAILED_KEYS_PER_MINUTE: '0' };
      const environment = { commerce: commerceEnvironment(fakeStripe), keys: unlimitedTerms, gateway };
      const running = await startHarness({ gateways: 2, environment });
      try {
        const run = await openPurchaseRun(running, fakeStripe, { ...options, seed });
        const figures = await buyUnderFaults(running, run, options.purchases);
        const end = await assertAllInvariants(running, run);
        test.diagnostic(JSON.stringify({ ...figures, ...end }));
      } finally {
        await running.stop();
        await fakeStripe.stop();
      }
    });
  });
};

/** Payments at the fake Stripe, and sweeps soon. */
export const commerceEnvironment = ({ secretKey, webhookSecret, url }: FakeStripe): NodeJS.ProcessEnv => ({
  ...unlimitedTerms,
  STRIPE_SECRET_KEY: secretKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_URL: url,
  SWEEP_AFTER_S: String(sweepAfterS),
  SWEEP_EVERY_S: '1',
  CHECKOUT_SWEEP_AFTER_S: '5',
});

export const openPurchaseRun = async (
  running: SystemHarness,
  fakeStripe: FakeStripe,
  options: Pick<ChaosOptions, 'accounts' | 'seed'>,
): Promise<PurchaseRun> => {
  const random = seededRandom(options.seed);
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const people = await Promise.all(Array.from({ length: options.accounts }, () => running.clients('free')));
  const { markets } = await (people[0]?.[0] ?? assert.fail()).json(marketsResponse, '/markets?days=7&limit=200');
  const events = [...new Set(markets.map(({ event_ticker: event }) => event ?? ''))];
  const buyers = people.map((apis) => {
    const { keyId } = parseApiKey(apis[0]?.key ?? '') ?? assert.fail('no key');
    return { account: accountOfKey(keyId), apis, eventsToBuy: [...events], unlocked: [] };
  });
  fakeStripe.webhooks.send(anyOf(running, random));
  fakeStripe.faults.always(0.05, failures, random);
  const counts = { purchases: 0, doubled: 0, answered: 0, again: 0 };
  return { fakeStripe, random, buyers, granted: [], over: new AbortController(), counts };
};

/** Webhooks arrive at a random gateway. */
const anyOf = ({ system }: SystemHarness, random: () => number): Receiver => {
  const receivers = system.baseUrls.map((url) => receiverAt(`${url}/webhooks/stripe`));
  return (body, signature) => oneOf({ random }, receivers)(body, signature);
};

const buyUnderFaults = async ({ system }: SystemHarness, run: PurchaseRun, purchases: number) => {
  const began = performance.now();
  const work: Promise<void>[] = [];
  const begin = (one: Promise<void>): void => {
    // The first failure ends the run, and becomes the test's error.
    one.catch((error: unknown) => run.over.abort(error));
    work.push(one);
  };
  const burst = (): void => {
    for (let count = 0; count < webhookBurst; count += 1) begin(exportAgain(run));
  };
  const watch = watchKeys(run, system.baseUrls);
  const kill = killFaults(system, run.random);
  const duringOperations = (act: () => Promise<void>) => async (): Promise<void> => {
    burst();
    // A request is on its way through three services for some milliseconds.
    await delay(run.random() * 60);
    await act();
  };
  const breaksExport = { ...kill('export'), 'freeze export': () => freezeExport(system, freezeMs) };
  const faultSets: FaultSet[] = [
    { ...kill('commerce'), ...kill('keys'), ...kill('gateway'), ...kill('gateway-2') },
    Object.fromEntries(Object.entries(breaksExport).map(([name, act]) => [name, duringOperations(act)])),
  ];
  const injector = injectFaults(faultSets, {
    random: run.random,
    stopped: run.over,
    progress: () => run.counts.answered,
    progressBetween: answersBetween,
  });
  for (let worker = 0; worker < workers; worker += 1) begin(buyUntil(run, purchases, injector));
  await Promise.allSettled(work);
  await injector.stop();
  await Promise.allSettled(work);
  await watch.stop().catch((error: unknown) => run.over.abort(error));
  run.over.signal.throwIfAborted();
  assert.ok(run.counts.purchases >= purchases, `${run.counts.purchases} purchases`);
  const { live, revoked, latestMs } = watch;
  const keys = { live, revoked, latest_ms: latestMs() };
  return { seconds: Math.round((performance.now() - began) / 1_000), faults: injector.done, keys, ...run.counts };
};

/** Resolves when enough is bought and every fault was injected. */
const buyUntil = async (run: PurchaseRun, purchases: number, injector: FaultInjector): Promise<void> => {
  const isLeft = (): boolean => run.buyers.some(({ eventsToBuy }) => eventsToBuy.length > 0);
  while (isLeft() && (run.counts.purchases < purchases || !injector.hasInjectedAll())) await buyOneEvent(run);
};

/** At rest, with everything running: throws unless all accounts have paid for what they have, once. */
export const assertAllInvariants = async (running: SystemHarness, run: PurchaseRun) => {
  const { fakeStripe, random } = run;
  fakeStripe.faults.clear();
  const allInvariantsHold = async () => {
    const stored = await readStoredAccounts(running.system);
    for (const { account } of run.buyers) assertInvariants(stored.get(account) ?? assert.fail(account), fakeStripe);
    return stored;
  };
  const restMs = { timeoutMs: 120_000 };
  await eventually(allInvariantsHold, restMs);
  // Repeats every webhook in random order: none may change anything.
  const shuffled = fakeStripe.webhooks.events.map((event) => ({ event, at: random() }));
  const again = shuffled.toSorted((one, other) => one.at - other.at).map(({ event }) => event);
  await fakeStripe.webhooks.deliver(anyOf(running, random), again);
  const stored = await eventually(allInvariantsHold, restMs);
  for (const { buyer, id } of run.granted) await assertFileStored(buyer.apis[0] ?? assert.fail('no gateway'), id);
  assert.deepEqual(fakeStripe.violations, []);
  assert.equal(await deadLetters(running.system), 0, 'nothing was put aside');
  const exports = [...stored.values()].flatMap((one) => one.exports.map(({ state }) => state.status));
  const { charge, refund, subscription } = fakeStripe.ledger;
  const sums = { charges: charge.size, refunds: refund.size, subscriptions: subscription.size };
  return { ...sums, webhooks: again.length, exports: countsOf(exports), files: run.granted.length };
};

const countsOf = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, its]) => [word, its.length]));
