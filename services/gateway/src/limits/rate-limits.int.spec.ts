import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { catalogRpc, commerceRpc, type PlanId } from '@almanac/contracts';
import { redisKeys } from '@almanac/redis';
import { eventually, suspendProcess } from '@almanac/testing';
import { z } from 'zod';
import { nameOf } from '../testing/service-stubs.js';
import { type RunningGateway, startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { withRedis } from '../testing/redis.js';

const limits = { free: 120, pro: 200, full_book: 6_000 };
/** The tokens that gateways may hold in reserve. */
const reserves = { free: 2, pro: 4, full_book: 120 };
const PLAN_TERMS = JSON.stringify(
  Object.fromEntries(Object.entries(limits).map(([plan, requestsPerMinute]) => [plan, { requestsPerMinute }])),
);

const headersOf = (response: Response) => {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    response.headers.get(`ratelimit-${name}`),
  );
  return limit === null ? undefined : { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
};

describe('the rate limit', () => {
  let system: TestSystem;
  const steady = steadyIn(() => system);
  let gateways: readonly [RunningGateway, RunningGateway];
  let startedMs = 0;
  const answers = (one: TestSystem): void => {
    one.edge.handlers.set(nameOf(catalogRpc.categories), () => ({ count: 0 }));
  };
  beforeEach(() => (startedMs = performance.now()));
  before(async () => {
    system = await startSystem({ PLAN_TERMS });
    answers(system);
    gateways = [system, await system.another()];
  });
  after(() => system.stop());

  /** The number of accepted requests out of `n`. Sends eight requests of a key at a time: the operating system would refuse thousands of concurrent connections. */
  const letThrough = async (key: TestKey, n: number, at: readonly RunningGateway[] = gateways): Promise<number> => {
    let [next, passed] = [0, 0];
    const keepRequesting = async (): Promise<void> => {
      while (next < n) {
        const response = await at[next++ % at.length]?.request('/exports/formats', key);
        await response?.arrayBuffer();
        if (response?.status === 429) assert.ok(Number(response.headers.get('retry-after')) >= 1);
        else assert.equal(response?.status, 200);
        if (response.status === 200) passed += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, keepRequesting));
    return passed;
  };
  /** The number of windows so far: a test that takes longer than one window may see more accepted requests. */
  const windows = (): number => 1 + Math.floor((performance.now() - startedMs) / 60_000);
  const atMost = (plan: keyof typeof limits): number => limits[plan] * windows();

  for (const plan of ['free', 'pro'] as const) {
    steady(`of ${plan} is 95 to 100 % over all gateways`, async () => {
      const key = system.edge.keys.createKey(plan);
      const through = await letThrough(key, 2 * limits[plan]);
      assert.ok(through <= atMost(plan), `${through}`);
      assert.ok(through >= 0.95 * limits[plan], `${through}`);
    });
  }

  steady('belongs to one account: it is the same for each of six that send at once', async () => {
    const keys = Array.from({ length: 6 }, () => system.edge.keys.createKey('free'));
    const through = await Promise.all(keys.map((key) => letThrough(key, limits.free + 10)));
    for (const one of through) {
      assert.ok(one <= atMost('free') && one >= 0.95 * limits.free, `${one}`);
    }
  });

  steady('needs no call to Redis while a lease lasts', async () => {
    const key = system.edge.keys.createKey('full_book');
    assert.equal(await letThrough(key, reserves.full_book, [system]), reserves.full_book);
    const entries = await withRedis(system.redis, (redis) => redis.llen(redisKeys.leases(key.account)));
    // The state, and the requests for which the only lease was requested.
    assert.ok(entries <= 1 + windows(), `${entries}`);
  });

  steady('does not exist for internal accounts, which have no rate-limit headers and no lease', async () => {
    const key = system.edge.keys.createKey('internal');
    assert.equal(headersOf(await system.request('/categories', key)), undefined);
    assert.equal(await withRedis(system.redis, (redis) => redis.exists(redisKeys.leases(key.account))), 0);
  });

  steady('is in every response to an authenticated caller, and in no other', async () => {
    const key = system.edge.keys.createKey('pro');
    system.edge.handlers.set(nameOf(commerceRpc.plan), () => {
      throw new Error('broken');
    });
    const requests: [string, number][] = [
      ['/categories', 200],
      ['/exports/formats', 200],
      ['/search?limit=0', 422],
      ['/exports/x', 404],
      ['/plan', 500],
    ];
    for (const [index, [path, status]] of requests.entries()) {
      const response = await system.request(path, key);
      assert.equal(response.status, status);
      const { limit, remaining = 0, reset = 0 } = headersOf(response) ?? {};
      assert.equal(limit, limits.pro);
      assert.ok(remaining < limits.pro - index, `${path}: ${remaining}`);
      assert.ok(Number.isInteger(reset) && reset >= 1 && reset <= 60, `${path}: ${reset}`);
      assert.equal(response.headers.get('RateLimit-Policy'), `"minute";q=${limits.pro};w=60`);
      assert.equal(response.headers.get('RateLimit'), `"minute";r=${remaining};t=${reset}`);
    }
    assert.ok(headersOf(await system.request('/exports/formats', key, { method: 'HEAD' })));
    for (const path of ['/categories', '/nothing']) assert.equal(headersOf(await system.request(path)), undefined);
    assert.equal(headersOf(await system.request('/nothing', key)), undefined);
  });

  steady('leaves at least the Remaining of the headers, even when another gateway takes tokens', async () => {
    const key = system.edge.keys.createKey('pro');
    let through = 0;
    let saw429 = false;
    for (let n = 0; n < 2 * limits.pro && !saw429; n += 1) {
      // Runs of different length at each gateway, so that both hold leases at different times.
      const gateway = gateways[Math.floor(n / 7) % 3 === 0 ? 0 : 1];
      const response = await gateway.request('/exports/formats', key);
      await response.arrayBuffer();
      saw429 = response.status === 429;
      if (!saw429) through += 1;
      const remaining = headersOf(response)?.remaining ?? Number.NaN;
      assert.ok(remaining <= limits.pro * windows() - through, `${remaining} after ${through}`);
    }
  });

  steady('is refused after 401 and before 422, in the shape of every error, without a call to a service', async () => {
    const key = system.edge.keys.createKey('free');
    await letThrough(key, limits.free + 20, [system]);
    const calls = system.edge.callsOf(catalogRpc.categories);
    for (const path of ['/categories', '/search?limit=0', '/markets/NO-SUCH']) {
      const response = await system.request(path, key);
      const body = z
        .strictObject({ detail: z.string(), code: z.string(), request_id: z.string() })
        .parse(await response.json());
      // A slow machine may already be in the next window.
      if (windows() > 1) return;
      assert.deepEqual([response.status, body.code], [429, 'rate_limited']);
      const seconds = Number(response.headers.get('retry-after'));
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds}`);
      assert.equal(headersOf(response)?.remaining, 0);
    }
    assert.equal(system.edge.callsOf(catalogRpc.categories), calls);
    assert.equal((await system.request('/categories', { text: `${key.text}x` })).status, 401);
    assert.equal((await system.request('/nothing', key)).status, 404);
    assert.equal((await system.request('/categories', key, { method: 'PUT' })).status, 405);
  });

  steady('is that of the new plan as soon as the plan changed', async () => {
    const key = system.edge.keys.createKey('free');
    await letThrough(key, limits.free + 20, [system]);
    await system.edge.keys.changePlan(key, 'pro' satisfies PlanId);
    await eventually(async () => {
      const response = await system.request('/categories', key);
      assert.deepEqual([response.status, headersOf(response)?.limit], [200, limits.pro]);
    });
  });
});

describe('the rate limit without Redis', () => {
  let system: TestSystem;
  before(async () => {
    system = await startSystem({ PLAN_TERMS });
  });
  after(() => system.stop());

  const ready = async (): Promise<unknown> => (await fetch(`${system.url}/readyz`)).json();
  const degraded = async () =>
    z
      .looseObject({ ready: z.literal(true), degraded: z.record(z.string(), z.string()).optional() })
      .parse(await ready()).degraded;
  /** How many sequential requests are accepted before one is refused, or `n`. */
  const through = async (key: TestKey, n: number): Promise<number> => {
    for (let count = 0; count < n; count += 1) {
      const response = await system.request('/exports/formats', key);
      await response.arrayBuffer();
      if (response.status === 429) return count;
      assert.equal(response.status, 200);
      assert.ok(headersOf(response) !== undefined);
    }
    return n;
  };

  it('treats a Redis that hangs as unavailable', async () => {
    await eventually(async () => assert.equal(await degraded(), undefined));
    const goOn = await suspendProcess(system.redis.pid);
    try {
      const key = system.edge.keys.createKey('free');
      assert.equal(await through(key, 10), 10);
      assert.match((await degraded())?.['redis'] ?? '', /limits requests by itself/);
    } finally {
      goOn();
    }
    await eventually(async () => assert.equal(await degraded(), undefined));
  });

  it('is local to each gateway while Redis is unavailable, even to one that starts, and shared again afterwards', async () => {
    const [before_, fresh] = [system.edge.keys.createKey('free'), system.edge.keys.createKey('free')];
    await eventually(async () => assert.equal(await degraded(), undefined));
    const startedMs = performance.now();
    const first = await through(before_, 50);
    process.kill(system.redis.pid, 'SIGKILL');
    await eventually(async () => assert.match((await degraded())?.['redis'] ?? '', /limits requests by itself/));
    // Tokens that Redis granted earlier count here too.
    const second = await through(before_, 1_000);
    const inWindow = (count: number, max: number): void => {
      if (performance.now() - startedMs < 60_000) assert.ok(count <= max, `${count} of ${max}`);
    };
    inWindow(first + second, limits.free);
    const accepted = await through(fresh, 1_000);
    inWindow(accepted, limits.free);
    assert.ok(accepted >= 0.95 * limits.free, `${accepted}`);
    const late = await system.another();
    const response = await late.request('/exports/formats', system.edge.keys.createKey('pro'));
    assert.deepEqual([response.status, headersOf(response)?.limit], [200, limits.pro]);
    await late.stop();
    await system.redis.restart();
    await eventually(async () => assert.equal(await degraded(), undefined));
    // The new Redis has lost the earlier leases, but the gateway has not.
    const third = await through(before_, 1_000);
    inWindow(first + second + third, limits.free);
  });
});
