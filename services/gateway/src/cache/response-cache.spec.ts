import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '@almanac/testing';
import { readyBody } from '../http/reply.js';
import { type CachedResponse, responseMetadataOf, completeResponse } from './cached-response.js';
import { createResponseCache, type ResponseCache } from './response-cache.js';

const megabyte = 1_048_576;

const keyOf = (ticker: string): string => `/markets/:ticker\ninternal\n\n{"ticker":"${ticker}"}`;

/** Builds a cached response as the gateway does from a reply. */
const answerOf = (ticker: string, bytes: Buffer): CachedResponse => ({
  ...completeResponse(
    responseMetadataOf({ meta: { version: 1 }, first: bytes }, undefined, keyOf(ticker)),
    readyBody(bytes, true),
  ),
  freshUntilMs: Number.POSITIVE_INFINITY,
  topics: [`market:${ticker}`],
  trusted: () => true,
});

const set = (cache: ResponseCache, from: number, count: number, bytesEach: number): void => {
  for (let n = from; n < from + count; n += 1) {
    const ticker = `KXBTCD-26NOV0117-T${n}.99`;
    cache.set(keyOf(ticker), answerOf(ticker, Buffer.alloc(bytesEach, 'x')));
  }
};

// The runner cannot set flags for one file. A context created after this one has the function.
setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** The memory of this process after a garbage collection. */
const heldBytes = (): number => {
  assert.ok(typeof collect === 'function');
  Reflect.apply(collect, undefined, []);
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/**
 * The memory of the process itself meanwhile (compiled code, the runner). Measured: 0.5 MB, and 0.3 MB for long
 * answers.
 */
const processBytes = 2 * megabyte;

describe('the response cache', () => {
  for (const bytesEach of [10, 15_000, 120_000]) {
    it(`uses no more memory than it reports, with many responses of ${bytesEach} bytes each`, async () => {
      const bytesMax = 64 * megabyte;
      const before = heldBytes();
      const cache = createResponseCache(bytesMax);
      set(cache, 0, Math.ceil((2 * bytesMax) / (bytesEach + 1_000)), bytesEach);
      assert.ok(cache.bytes <= bytesMax && cache.bytes > 0.9 * bytesMax, `${cache.bytes}`);
      // Another thread frees the memory of Buffers some time after the collection.
      await eventually(() => {
        const held = heldBytes() - before;
        assert.ok(held <= cache.bytes + processBytes, `it says ${cache.bytes} and holds ${held}`);
      });
    });
  }

  it('invalidates by topic, even replaced responses, and is empty when all are invalidated', () => {
    const cache = createResponseCache(megabyte);
    for (let round = 0; round < 2; round += 1) set(cache, 1, 3, 10);
    cache.invalidate('market:KXBTCD-26NOV0117-T2.99');
    assert.equal(cache.get(keyOf('KXBTCD-26NOV0117-T2.99')), undefined);
    assert.ok(cache.get(keyOf('KXBTCD-26NOV0117-T1.99')) !== undefined);
    for (const n of [1, 3]) cache.invalidate(`market:KXBTCD-26NOV0117-T${n}.99`);
    assert.equal(cache.bytes, 0);
  });
});
