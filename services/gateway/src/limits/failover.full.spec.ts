// In the full run only: it sends requests for three fast minutes, and the election takes seconds. `rate-limits.int.spec.ts` has
// an outage of Redis.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultPlans } from '@almanac/contracts';
import { connectRedis, type Redis } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { Registry } from 'prom-client';
import { type RedisWithSentinels, startRedisWithSentinels } from '../testing/redis-servers.js';
import { leaseScriptOf, windowMs } from './lease-script.js';
import { sharedLeases } from './leases.js';
import { limitMetrics } from './metrics.js';
import { watchPeerUsage } from './peer-usage.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';

/** All clocks of the limits are this much faster, so that a minute takes 10 s. */
const speed = 6;
const script = leaseScriptOf(
  `math.floor((function() local t = redis.call('TIME') return (t[1] % 1000000) * 1000 + t[2] / 1000 end)() * ${speed})`,
);
const login = { user: 'gateway', password: 'secret' };
const log = createLogger('test', 'silent');

/** Redis counts a request at some time in between. */
interface Span {
  readonly sentMs: number;
  readonly acceptedMs: number;
}
const isIn =
  (fromMs: number, untilMs: number) =>
  ({ sentMs, acceptedMs }: Span): boolean =>
    sentMs >= fromMs && acceptedMs < untilMs;

describe('the limits of two gateways while the Sentinels fail over', () => {
  let servers: RedisWithSentinels;
  const stops: (() => void)[] = [];
  before(async () => {
    servers = await startRedisWithSentinels({ login });
  });
  after(async () => {
    for (const stop of stops) stop();
    await servers.stop();
  });

  const connect = async (): Promise<Redis> => {
    const config = { REDIS_URL: servers.url, REDIS_USER: login.user, REDIS_PASSWORD: login.password };
    const redis = connectRedis({ config, runtime: { log, health: createHealth() }, without: 'gateways limit alone' });
    stops.push(() => redis.disconnect());
    await eventually(() => assert.equal(redis.status, 'ready'));
    return redis;
  };

  const nowMs = (): number => performance.now() * speed;

  const startGateway = async (rank: number) => {
    const redis = await connect();
    const gateway = `gateway ${rank}`;
    const peers = watchPeerUsage({
      redis,
      gateway,
      log,
      onUsage: (account, free) => limits.applyPeerUsage(account, free),
      onJoined: () => undefined,
    });
    stops.push(() => peers.stop());
    const limits: RateLimits = createRateLimits({
      plans: { ...defaultPlans, pro: { ...defaultPlans.pro, requestsPerMinute: limit } },
      shared: sharedLeases(redis, gateway, script),
      gateways: () => 2,
      rank: () => rank,
      nowMs,
      peerUpdatesSinceMs: () => peers.sinceMs(),
      settleMs: 5_000 * speed,
      accountsMax: 10,
      metrics: limitMetrics(new Registry()),
      log,
    });
    return { redis, limits };
  };

  const limit = 600;

  it('accept requests all the time, and never more than 100 % in a minute', async () => {
    const gateways = await Promise.all([0, 1].map(startGateway));
    const accepted: Record<string, Span[]> = { steady: [], burst: [] };
    let requests = 0;
    const request = async (account: string): Promise<void> => {
      const gateway = gateways[(requests += 1) % 2] ?? assert.fail();
      const allowance = gateway.limits.of({ account, plan: 'pro', keyId: 'k', asOf: null }) ?? assert.fail();
      const sentMs = nowMs();
      try {
        await gateway.limits.take(allowance);
        accepted[account]?.push({ sentMs, acceptedMs: nowMs() });
      } catch (error) {
        assert.match(String(error), /rate|limit/i);
      }
    };
    const running: Promise<void>[] = [];
    // 1.5 times the limit of one account, evenly. The other one uses its limit at once, and then tries again.
    const startedMs = nowMs();
    let sent = 0;
    const sendUntil = async (untilMs: number): Promise<void> => {
      while (nowMs() < untilMs) {
        for (; sent < ((nowMs() - startedMs) / windowMs) * limit * 1.5; sent += 1) running.push(request('steady'));
        running.push(request('burst'));
        if (running.length < 2 * limit) for (let n = 0; n < 20; n += 1) running.push(request('burst'));
        await pause(5);
      }
    };
    await sendUntil(startedMs + windowMs / 2);
    const killedMs = nowMs();
    await servers.killPrimary();
    await sendUntil(killedMs + 2.5 * windowMs);
    await Promise.all(running);
    for (const [account, spans] of Object.entries(accepted)) {
      const most = Math.max(...spans.map(({ sentMs }) => spans.filter(isIn(sentMs, sentMs + windowMs)).length));
      assert.ok(most <= limit, `${account}: ${most}`);
      assert.ok(spans.length >= 0.95 * 3 * limit, `${account}: ${spans.length} in three minutes`);
    }
    for (const { redis, limits } of gateways) {
      assert.equal(redis.status, 'ready');
      assert.ok(!limits.isLocal());
    }
  });
});
