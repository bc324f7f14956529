import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { redisKeys } from '@almanac/redis';
import { eventually, testRedis, type TestServer } from '@almanac/testing';
import { Redis } from 'ioredis';
import { previewQueue, RedisUnavailableError } from './preview-queue.js';

describe('the preview queue', () => {
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
  const claimed = async (queue: ReturnType<typeof previewQueue>): Promise<string | undefined> =>
    (await queue.claim())?.ticker;

  it('returns each market once to its claimers, the longest waiting first, and none before its time', async () => {
    const [one, other] = [0, 1].map(() => previewQueue({ redis, max: 10, leaseMs: hourMs }));
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

  it('returns a market again when its claim expires, and never after it was finished', async () => {
    const queue = previewQueue({ redis, max: 10, leaseMs: 50 });
    await queue.add(new Map([['A', past(10)]]));
    assert.equal(await claimed(queue), 'A');
    const again = await eventually(async () => {
      const claim = await queue.claim();
      assert.ok(claim !== undefined);
      return claim;
    });
    await queue.finish(again);
    assert.equal(await redis.zcard(redisKeys.previewQueue), 0);
  });

  it('keeps a market that was added again while it was claimed', async () => {
    const queue = previewQueue({ redis, max: 10, leaseMs: hourMs });
    await queue.add(new Map([['A', past(10)]]));
    const claim = await queue.claim();
    assert.ok(claim !== undefined);
    await queue.add(new Map([['A', past(5)]]));
    await queue.finish(claim);
    assert.equal(await claimed(queue), 'A');
  });

  it('has a maximum length, and still moves the markets that it contains', async () => {
    const queue = previewQueue({ redis, max: 2, leaseMs: hourMs });
    const later = Date.now() + hourMs;
    assert.equal(await queue.add(new Map(['A', 'B', 'C', 'D'].map((ticker) => [ticker, later]))), 2);
    const changes = [
      ['A', past(5)],
      ['E', past(5)],
    ] as const;
    assert.equal(await queue.add(new Map(changes)), 1);
    assert.deepEqual([await claimed(queue), await claimed(queue)], ['A', undefined]);
    assert.equal(await queue.add(new Map()), 0);
  });

  it('throws while Redis is unavailable', async () => {
    const unreachable = new Redis(server.url, { enableOfflineQueue: false, lazyConnect: true });
    const queue = previewQueue({ redis: unreachable, max: 2, leaseMs: hourMs });
    await assert.rejects(queue.claim(), RedisUnavailableError);
    await assert.rejects(queue.add(new Map([['A', 1]])), RedisUnavailableError);
  });
});
