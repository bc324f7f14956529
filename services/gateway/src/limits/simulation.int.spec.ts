import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defaultPlans } from '@almanac/contracts';
import type { Redis } from '@almanac/redis';
import { createLogger } from '@almanac/runtime';
import { seededRandom, testRedis, type TestServer } from '@almanac/testing';
import { Registry } from 'prom-client';
import { connectTestRedis } from '../testing/redis.js';
import type { Allowance } from './allowance.js';
import { leaseScriptOf, windowMs } from './lease-script.js';
import { sharedLeases } from './leases.js';
import { limitMetrics } from './metrics.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';

const clockKey = 'test:now';
const script = leaseScriptOf(`tonumber(redis.call('GET', '${clockKey}'))`);
/** The clock of Redis is not that of the gateways. */
const redisEpochMs = 1_700_000_000_000;
const caller = (account: string) => ({ account, plan: 'pro', keyId: 'k', asOf: null });

interface Scenario {
  readonly seed: number;
  readonly gateways: number;
  readonly limit: number;
  readonly minutes: number;
  /** Times of requests in one minute, each from 0 to 60,000. */
  readonly minute: (random: () => number, limit: number) => readonly number[];
  readonly withRedis?: boolean;
  /** While Redis does not answer, by the clock of the gateways. */
  readonly outage?: { readonly fromMs: number; readonly untilMs: number };
  /** The gateway of a request by its number. By default all take turns. */
  readonly gatewayOf?: (n: number) => number;
}

/** When the simulation begins, by the clock of the gateways. */
const beginMs = 1_000_000;

/** 1.5 times the limit, evenly over time. */
const steady: Scenario['minute'] = (random, limit) =>
  Array.from({ length: Math.ceil(1.5 * limit) }, (_, n) => ((n + random()) / Math.ceil(1.5 * limit)) * windowMs);

/** 1.5 times the limit in six bursts of 200 ms. */
const bursty: Scenario['minute'] = (random, limit) =>
  Array.from({ length: 6 }, (_, burst) =>
    Array.from({ length: Math.ceil(limit / 4) }, () => burst * 10_000 + random() * 200),
  ).flat();

/** Three times the limit within a second, then silence. */
const once: Scenario['minute'] = (random, limit) => Array.from({ length: 3 * limit }, () => random() * 1_000);

/** How many of these ascending times are before a time. */
const countBefore = (times: readonly number[], ms: number): number => {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((times[middle] ?? Infinity) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
};

const remainingOf = (allowance: Allowance): number => {
  const headers: (string | number)[] = [];
  allowance.appendHeaders(headers);
  return Number(headers[headers.indexOf('RateLimit-Remaining') + 1]);
};

describe('the rate limit of an account behind many gateways', () => {
  let server: TestServer;
  let redis: Redis;
  let runs = 0;
  before(async () => {
    server = await testRedis();
    redis = await connectTestRedis(server);
  });
  after(async () => {
    redis.disconnect();
    await server.stop();
  });

  const gatewaysOf = (
    { gateways, limit, withRedis = true, outage }: Scenario,
    clock: { nowMs: number; calls: number },
  ) => {
    const all: readonly RateLimits[] = Array.from({ length: gateways }, (_, rank): RateLimits => {
      const shared = sharedLeases(redis, `${runs} ${rank}`, script);
      return createRateLimits({
        plans: { ...defaultPlans, pro: { ...defaultPlans.pro, requestsPerMinute: limit } },
        shared: {
          lease: async (request) => {
            clock.calls += 1;
            const ms = clock.nowMs - beginMs;
            const isOut = outage !== undefined && ms >= outage.fromMs && ms < outage.untilMs;
            if (!withRedis || isOut) throw new Error('Redis is unavailable');
            const [, granted] = await Promise.all([redis.set(clockKey, redisEpochMs + ms), shared.lease(request)]);
            for (const [other, limits] of all.entries()) {
              if (other !== rank && granted.tokens > 0) limits.applyPeerUsage(request.account, granted.free);
            }
            return granted;
          },
        },
        gateways: () => gateways,
        rank: () => rank,
        nowMs: () => clock.nowMs,
        peerUpdatesSinceMs: () => 0,
        accountsMax: 10,
        metrics: limitMetrics(new Registry()),
        log: createLogger('test', 'silent'),
      });
    });
    return all;
  };

  /** The times of accepted requests, and the calls to Redis for each request. */
  const simulate = async (scenario: Scenario) => {
    runs += 1;
    const random = seededRandom(scenario.seed);
    const clock = { nowMs: 0, calls: 0 };
    const account = `account ${runs}`;
    const all = gatewaysOf(scenario, clock);
    const times = Array.from({ length: scenario.minutes }, (_, n) =>
      scenario.minute(random, scenario.limit).map((ms) => n * windowMs + Math.floor(ms)),
    )
      .flat()
      .toSorted((a, b) => a - b);
    const accepted: number[] = [];
    let callsMax = 0;
    let oldest = 0;
    for (const [n, ms] of times.entries()) {
      clock.nowMs = beginMs + ms;
      const limits = all[scenario.gatewayOf?.(n) ?? n % all.length];
      const allowance = limits?.of(caller(account));
      assert.ok(limits !== undefined && allowance !== undefined);
      const callsBefore = clock.calls;
      try {
        await limits.take(allowance);
        accepted.push(ms);
      } catch (error) {
        assert.match(String(error), /rate|limit/i);
      }
      callsMax = Math.max(callsMax, clock.calls - callsBefore);
      if (scenario.withRedis === false || scenario.outage !== undefined) continue;
      // Both are in the order of time.
      while ((accepted[oldest] ?? Infinity) <= ms - windowMs) oldest += 1;
      const remaining = remainingOf(allowance);
      assert.ok(remaining <= scenario.limit - (accepted.length - oldest), `${remaining} remain`);
    }
    return { accepted, callsMax };
  };

  /** The most and the fewest accepted requests in any minute from a request on, as parts of the limit. */
  const minutesOf = (accepted: readonly number[], { limit, minutes }: Scenario, fromMs: readonly number[]) => {
    const within = (from: number): number =>
      (countBefore(accepted, from + windowMs) - countBefore(accepted, from)) / limit;
    const fewest = Math.min(...fromMs.filter((from) => from <= (minutes - 1) * windowMs).map(within));
    return { most: Math.max(...accepted.map(within)), fewest };
  };

  const scenarios: [name: string, Scenario['minute'], limits: readonly number[]][] = [
    ['steady', steady, [60, 120, 600]],
    ['bursty', bursty, [60, 120, 600]],
    ['short and intense', once, [60, 600]],
  ];
  for (const [name, minute, limits] of scenarios) {
    for (const gateways of [1, 2, 40]) {
      it(`is 95 to 100 % in any minute of ${name} requests to ${gateways} gateways`, async () => {
        // The largest limit behind many gateways is the case in which most leases are held at once.
        const all = minute === steady && gateways === 40 ? [...limits, 6_000] : limits;
        for (const limit of all) {
          const scenario = { seed: gateways + limit, gateways, limit, minutes: limit > 2_000 ? 2 : 3, minute };
          const { accepted, callsMax } = await simulate(scenario);
          // Between bursts there is nothing to accept, so these minutes begin with the first burst.
          const starts = minute === steady ? accepted : Array.from({ length: 3 }, (_, n) => n * windowMs);
          const { most, fewest } = minutesOf(accepted, scenario, starts);
          const seen = `limit ${limit}, seed ${scenario.seed}: ${fewest} to ${most}`;
          assert.ok(most <= 1, seen);
          assert.ok(fewest >= 0.95, seen);
          assert.ok(callsMax <= 1, `${callsMax} calls for one request`);
        }
      });
    }
  }

  for (const gateways of [1, 2, 40]) {
    it(`is 95 to 100 % of ${gateways} gateways together while Redis is unavailable`, async () => {
      for (const limit of [60, 120]) {
        // So many requests that each gateway soon receives one when a request leaves its share.
        const minute: Scenario['minute'] = (random) => steady(random, 20 * limit);
        const scenario = { seed: gateways + limit, gateways, limit, minutes: 3, minute, withRedis: false };
        const { accepted } = await simulate(scenario);
        const { most, fewest } = minutesOf(accepted, scenario, [0, windowMs, 2 * windowMs]);
        const seen = `limit ${limit}, seed ${scenario.seed}: ${fewest} to ${most}`;
        assert.ok(most <= 1, seen);
        assert.ok(fewest >= 0.95, seen);
      }
    });
  }

  for (const [name, gatewayOf] of [
    ['evenly', (n: number) => n % 2],
    ['mostly to one of them', (n: number) => (n % 5 === 0 ? 1 : 0)],
  ] as const) {
    for (const minute of [steady, bursty]) {
      it(`is at most 100 % around an outage of Redis, with ${minute.name} requests to two gateways, ${name}`, async () => {
        for (const seconds of [1, 20, 90]) {
          const outage = { fromMs: 1.5 * windowMs, untilMs: 1.5 * windowMs + seconds * 1_000 };
          const scenario = { seed: seconds, gateways: 2, limit: 600, minutes: 4, minute, outage, gatewayOf };
          const { accepted } = await simulate(scenario);
          const { most } = minutesOf(accepted, scenario, [0]);
          assert.ok(most <= 1, `${seconds} s: ${most}`);
          assert.ok(accepted.length >= 4 * 600 * 0.6, `${seconds} s: ${accepted.length}`);
        }
      });
    }
  }
});
