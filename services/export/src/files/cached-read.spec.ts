import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cachedRead } from './cached-read.js';

describe('a recent read', () => {
  it('is repeated when its result is old', async () => {
    let reads = 0;
    const count = () => Promise.resolve((reads += 1));
    const [long, none] = [cachedRead(count, { maxAgeMs: 60_000 }), cachedRead(count, { maxAgeMs: -1 })];
    assert.deepEqual([await long(), await long()], [1, 1]);
    assert.deepEqual([await none(), await none(), await long()], [2, 3, 1]);
  });

  it('is repeated when its result is too large to be stored, or when it failed', async () => {
    const results = [20, 30, new Error('no answer'), 5, 40];
    const next = () => {
      const result = results.shift();
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result ?? 0);
    };
    const read = cachedRead(next, { maxAgeMs: 60_000, isStored: (result) => result < 10 });
    assert.deepEqual([await read(), await read()], [20, 30]);
    await assert.rejects(read(), { message: 'no answer' });
    assert.deepEqual([await read(), await read()], [5, 5]);
  });
});
