import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { processMetrics, readSamples, sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { watchSubscription, type WatchedSubscription } from './watch-subscription.js';

const never = Number.POSITIVE_INFINITY;
const times = { everyMs: 5, restartMs: 20, unreadyMs: never, endMs: never };

describe('a watched subscription', () => {
  const start = (changes: Partial<WatchedSubscription>, limits: Partial<typeof times> = {}) => {
    const logged: string[] = [];
    const log = (_facts: object, text: string): void => void logged.push(text);
    const faults = new Map<string, string>();
    const subscriptions = { faults, log: { warn: log, info: log } };
    let restarts = 0;
    const watched: WatchedSubscription = {
      stream: 'EVT_TEST',
      name: 'evt.test.>',
      position: () => 1,
      lag: () => Promise.resolve(0),
      restart: () => {
        restarts += 1;
        return Promise.resolve();
      },
      ...changes,
    };
    const running = watchSubscription({ subscriptions, nc: { isClosed: () => false } }, watched, {
      ...times,
      ...limits,
    });
    return { running, faults, logged, restarts: () => restarts };
  };
  const looks = () => {
    let count = 0;
    return { looked: () => void (count += 1), many: () => eventually(() => assert.ok(count > 20)) };
  };
  const figure = async (name: string) =>
    sumOfSamples(await readSamples(processMetrics), name, { stream: 'EVT_TEST' }) ?? 0;

  it('is restarted again and again while messages wait and none arrives, and its lag is a metric', async () => {
    const { running, logged, restarts } = start({ lag: () => Promise.resolve(7) });
    await eventually(() => assert.ok(restarts() >= 2));
    assert.equal(await figure('almanac_subscription_lag'), 7);
    assert.ok((await figure('almanac_subscription_restarts_total')) >= 2);
    assert.match(logged[0] ?? '', /got nothing although messages wait/);
    await running.stop();
  });

  it('is restarted at once, and at most once in a while, when others know that messages are missing', async () => {
    const { running, restarts } = start({}, { everyMs: 60_000 });
    for (let n = 0; n < 3; n += 1) running.hurry();
    assert.equal(restarts(), 1);
    await running.stop();
    running.hurry();
    assert.equal(restarts(), 1);
  });

  it('is left alone while it has everything, while messages arrive, and while the server does not answer', async () => {
    let position = 0;
    for (const change of [
      { lag: () => Promise.resolve(0) },
      { lag: () => Promise.resolve(7), position: () => (position += 1) },
      { lag: () => Promise.resolve('unknown' as const) },
      { lag: () => Promise.reject(new Error('timeout')) },
    ]) {
      const { looked, many } = looks();
      const lag: WatchedSubscription['lag'] = () => {
        looked();
        return change.lag();
      };
      const { running, restarts } = start({ ...change, lag });
      await many();
      assert.equal(restarts(), 0);
      await running.stop();
    }
  });

  it('is a fault of the process if restarts do not help, until messages arrive', async () => {
    let lag = 7;
    const { running, faults, logged } = start({ lag: () => Promise.resolve(lag) }, { unreadyMs: 50 });
    await eventually(() => assert.match([...faults.values()].join(), /EVT_TEST is not received .* 7 messages wait/));
    lag = 0;
    await eventually(() => assert.equal(faults.size, 0));
    assert.ok(logged.includes('a subscription gets messages again'));
    await running.stop();
  });

  it('ends the process at last', async () => {
    const failure = Promise.withResolvers<unknown>();
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.once('unhandledRejection', failure.resolve);
    try {
      start({ lag: () => Promise.resolve(7) }, { endMs: 50 });
      assert.match(String(await failure.promise), /got nothing for \d+ ms although 7 messages wait/);
    } finally {
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
  });

  it('is restarted although an earlier restart failed', async () => {
    let tries = 0;
    const restart = () => {
      tries += 1;
      return Promise.reject(new Error('no answer'));
    };
    const { running, logged } = start({ lag: () => Promise.resolve(7), restart });
    await eventually(() => assert.ok(tries >= 2));
    assert.ok(logged.includes('a subscription could not be restarted'));
    await running.stop();
  });
});
