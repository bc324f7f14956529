import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import type { PreparedPreview } from './prepared-preview.js';
import { previewCache } from './preview-cache.js';

const made = (ticker: string, version = 1, madeMs = 1, bytes = 100_000): PreparedPreview => ({
  ticker,
  version,
  from: String(version),
  madeMs,
  body: Buffer.alloc(bytes),
});

/** Redis is never connected, so previews are in memory only. */
const inMemory = (bytesMax: number) =>
  previewCache({
    redis: new Redis({ lazyConnect: true }),
    log: { warn: () => assert.fail('Redis is not asked') },
    bytesMax,
    ttlS: 60,
    lockMs: 1_000,
  });

describe('the preview cache', () => {
  it('stays within its limit of bytes, and evicts the least recently used preview first', async () => {
    const cache = inMemory(350_000);
    for (const ticker of ['A', 'B', 'C']) await cache.put(made(ticker));
    cache.fromMemory('A');
    await cache.put(made('D'));
    assert.deepEqual(
      ['A', 'B', 'C', 'D'].filter((ticker) => cache.fromMemory(ticker) !== undefined),
      ['A', 'C', 'D'],
    );
    const tickers = Array.from({ length: 1_000 }, (_, at) => `M${at}`);
    for (const [at, ticker] of tickers.entries()) await cache.put(made(ticker, 1, 1, (at * 7_919) % 200_000));
    const bytes = tickers.reduce((sum, ticker) => sum + (cache.fromMemory(ticker)?.body.length ?? 0), 0);
    assert.ok(bytes <= 350_000 && bytes > 100_000, String(bytes));
    await cache.put(made('huge', 1, 1, 400_000));
    assert.equal(cache.fromMemory('huge'), undefined);
  });

  it('is empty with a limit of 0', async () => {
    const cache = inMemory(0);
    await cache.put(made('A', 1, 1, 0));
    assert.equal(cache.fromMemory('A'), undefined);
  });

  it('has one preview for each market, the newest, in whichever order they come', async () => {
    const cache = inMemory(150_000);
    await cache.put(made('A', 2, 20));
    await cache.put(made('A', 1, 10));
    assert.equal(cache.fromMemory('A')?.version, 2);
    await cache.put(made('A', 3, 15));
    assert.equal(cache.fromMemory('A')?.version, 3, 'a later version, by a clock that is behind');
    await cache.put(made('A', 1, 99));
    assert.equal(cache.fromMemory('A')?.version, 1, 'made later, from a stream that was put back');
  });
});
