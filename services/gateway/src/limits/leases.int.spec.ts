import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectRedis, type Redis, redisKeys } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually, testRedis, type TestServer } from '@almanac/testing';
import { sharedLeases, windowMs } from './leases.js';

describe('leases in Redis', () => {
  let server: TestServer;
  let redis: Redis;
  before(async () => {
    server = await testRedis();
    const runtime = { log: createLogger('test', 'silent'), health: createHealth() };
    redis = connectRedis({ config: { REDIS_URL: server.url }, runtime, without: 'nothing is known' });
    await eventually(() => assert.equal(redis.status, 'ready'));
  });
  after(async () => {
    redis.disconnect();
    await server.stop();
  });

  const held = 0;
  const nowMs = async (): Promise<number> => {
    const [seconds, micros] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  };

  it('stay within the limit in total, however many gateways request them at once', async () => {
    const gateways = ['a', 'b', 'c', 'd'].map((name) => sharedLeases(redis, name));
    const request = { account: 'all', limit: 97, lease: 5, held };
    const requests = Array.from({ length: 25 }, () => gateways.map((gateway) => gateway.lease(request))).flat();
    const granted = await Promise.all(requests);
    const tokens = granted.map(({ tokens: one }) => one);
    assert.equal(
      tokens.reduce((sum, one) => sum + one, 0),
      97,
    );
    assert.equal(tokens.filter((one) => one === 2).length, 1, 'the last one is what was left');
    for (const one of granted) {
      assert.ok(one.resetMs > 0 && one.resetMs <= windowMs);
      assert.ok(one.tokens > 0 || one.free === 0);
    }
  });

  it('leave the window a minute after they were granted, and no earlier', async () => {
    const { lease } = sharedLeases(redis, 'a');
    const at = await nowMs();
    await redis.rpush(
      redisKeys.leases('slides'),
      `${at - windowMs} 50 b`,
      `${at - windowMs + 400} 30 a`,
      `${at - 30_000} 20 b`,
    );
    const full = await lease({ account: 'slides', limit: 50, lease: 10, held });
    if (full.tokens === 0) assert.ok(full.resetMs <= 400, `${full.resetMs}`);
    await eventually(async () => {
      const { tokens } = await lease({ account: 'slides', limit: 50, lease: 30, held });
      assert.ok(tokens > 0);
    });
    assert.ok((await nowMs()) >= at + 400);
    const left = await lease({ account: 'slides', limit: 50, lease: 10, held });
    assert.deepEqual([left.tokens, left.free], [0, 0]);
    assert.equal(await redis.llen(redisKeys.leases('slides')), 2, 'what left the window is gone');
  });

  it('are restored after Redis lost them when their gateway requests another', async () => {
    const [a, b] = [sharedLeases(redis, 'a'), sharedLeases(redis, 'b')];
    for (const gateway of [a, b]) await gateway.lease({ account: 'lost', limit: 60, lease: 20, held });
    await redis.del(redisKeys.leases('lost'));
    assert.equal((await a.lease({ account: 'lost', limit: 60, lease: 20, held: 20 })).free, 20);
    assert.deepEqual((await b.lease({ account: 'lost', limit: 60, lease: 20, held: 20 })).tokens, 0);
    assert.equal((await a.lease({ account: 'lost', limit: 60, lease: 20, held: 40 })).tokens, 0);
  });

  it('expire with an account that sends no more requests', async () => {
    await sharedLeases(redis, 'a').lease({ account: 'gone', limit: 60, lease: 20, held });
    const ttl = await redis.pttl(redisKeys.leases('gone'));
    assert.ok(ttl > 0 && ttl <= windowMs, `${ttl}`);
  });

  it('count the gateways', async () => {
    const [a, b] = [sharedLeases(redis, 'a'), sharedLeases(redis, 'b')];
    await a.present();
    assert.equal(a.gateways(), 1);
    await b.present();
    assert.equal(b.gateways(), 2);
    // A new gateway is counted with the next lease, not only with the next registration.
    await a.lease({ account: 'met', limit: 60, lease: 1, held });
    assert.equal(a.gateways(), 2);
    await b.leave();
    await a.present();
    assert.equal(a.gateways(), 1);
    const [seconds = 0] = await redis.time();
    await redis.zadd(redisKeys.gateways, seconds - 16, 'dead');
    await a.present();
    assert.equal(a.gateways(), 1);
  });
});
