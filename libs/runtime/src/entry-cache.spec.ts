import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { entryCache } from './entry-cache.js';

describe('a cache of entries', () => {
  it('keeps the entries that were used last', () => {
    const cache = entryCache<string, number>(3);
    for (const [n, name] of ['a', 'b', 'c'].entries()) cache.set(name, n);
    assert.equal(cache.get('a'), 0);
    cache.set('d', 3);
    assert.deepEqual([...cache.keys()].toSorted(), ['a', 'c', 'd']);
    cache.set('d', 4);
    assert.deepEqual([cache.size, cache.get('d')], [3, 4]);
  });

  it('forgets an entry after its time', async () => {
    const cache = entryCache<string, true>(3, { ttlMs: 5 });
    cache.set('a', true);
    await eventually(() => assert.equal(cache.has('a'), false));
  });

  it('takes no memory for entries that it does not have', () => {
    const bytes = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const before = bytes();
    const caches = Array.from({ length: 100 }, () => entryCache<string, true>(1_000_000));
    assert.ok(bytes() - before < 100_000_000, `${bytes() - before} bytes`);
    assert.equal(caches.length, 100);
  });
});
