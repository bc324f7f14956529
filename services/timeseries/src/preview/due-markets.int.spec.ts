import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { redisKeys } from '@almanac/redis';
import { eventually, testRedis, type TestServer } from '@almanac/testing';
import { Redis } from 'ioredis';
import { dueMarkets, RedisAway } from './due-markets.js';

describe('the markets that are due', () => {
  let server: TestServer;
  let redis: Redis;
  const hourMs = 3_600_000;

  before(async () => {
    server = await testRedis();
    redis = new Redis(server.url, { enableOfflineQueue: false, lazyConnect: true });
    await redis.connect();
  });
  beforeEach(() => redis.flushall());
  after(async () => {
    redis.disconnect();
    await server.stop();
  });

  const past = (agoMs: number): number => Date.now() - agoMs;
  const claimed = async (due: ReturnType<typeof dueMarkets>): Promise<string | undefined> =>
    (await due.claim())?.ticker;

  it('are claimed once each, whoever asks, the one that waits longest first, and not before their time', async () => {
    const [one, other] = [0, 1].map(() => dueMarkets({ redis, max: 10, leaseMs: hourMs }));
    assert.ok(one !== undefined && other !== undefined);
    await one.add(
      new Map([
        ['B', past(10)],
        ['A.b*>%', past(20)],
        ['later', Date.now() + hourMs],
      ]),
    );
    assert.deepEqual([await claimed(one), await claimed(other), await claimed(one)], ['A.b*>%', 'B', undefined]);
  });

  it('come again when a claim runs out, and never when it was finished', async () => {
    const due = dueMarkets({ redis, max: 10, leaseMs: 50 });
    await due.add(new Map([['A', past(10)]]));
    assert.equal(await claimed(due), 'A');
    const again = await eventually(async () => {
      const claim = await due.claim();
      assert.ok(claim !== undefined);
      return claim;
    });
    await due.finish(again);
    assert.equal(await redis.zcard(redisKeys.duePreviews), 0);
  });

  it('stay due where they were added again while they were claimed', async () => {
    const due = dueMarkets({ redis, max: 10, leaseMs: hourMs });
    await due.add(new Map([['A', past(10)]]));
    const claim = await due.claim();
    assert.ok(claim !== undefined);
    await due.add(new Map([['A', past(5)]]));
    await due.finish(claim);
    assert.equal(await claimed(due), 'A');
  });

  it('are so many at most; those that are there may still be moved', async () => {
    const due = dueMarkets({ redis, max: 2, leaseMs: hourMs });
    const later = Date.now() + hourMs;
    assert.equal(await due.add(new Map(['A', 'B', 'C', 'D'].map((ticker) => [ticker, later]))), 2);
    const changes = [
      ['A', past(5)],
      ['E', past(5)],
    ] as const;
    assert.equal(await due.add(new Map(changes)), 1);
    assert.deepEqual([await claimed(due), await claimed(due)], ['A', undefined]);
    assert.equal(await due.add(new Map()), 0);
  });

  it('are not known while Redis is away', async () => {
    const away = new Redis(server.url, { enableOfflineQueue: false, lazyConnect: true });
    const due = dueMarkets({ redis: away, max: 2, leaseMs: hourMs });
    await assert.rejects(due.claim(), RedisAway);
    await assert.rejects(due.add(new Map([['A', 1]])), RedisAway);
  });
});
