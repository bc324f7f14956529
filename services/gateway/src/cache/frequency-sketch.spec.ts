import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FrequencySketch, createFrequencySketch } from './frequency-sketch.js';

const again = (sketch: FrequencySketch, key: string): number => {
  sketch.increment(key);
  return sketch.estimate(key);
};

const requestKey = (n: number): string => `/markets/:ticker\ninternal\n\n{"ticker":"KXBTCD-26NOV0117-T${n}.99"}`;

describe('the frequency sketch', () => {
  it('counts from the first request on', () => {
    const sketch = createFrequencySketch();
    const counted = ['a', 'a', 'b', 'a'].map((key) => again(sketch, key));
    assert.deepEqual([...counted, sketch.estimate('c')], [1, 2, 1, 3, 0]);
  });

  it('counts keys that are requested in turn, however often', () => {
    const sketch = createFrequencySketch();
    for (let round = 1; round <= 4; round += 1) {
      const counted = Array.from({ length: 10_000 }, (_, n) => again(sketch, requestKey(n)));
      assert.deepEqual(new Set(counted), new Set([round]));
    }
  });

  it('never counts too high during a walk through all', () => {
    const sketch = createFrequencySketch();
    const walk = Array.from({ length: 300_000 }, (_, n) => again(sketch, requestKey(n)));
    assert.deepEqual(new Set(walk), new Set([1]));
  });

  it('replaces the key of a bucket that was counted longest ago', () => {
    const sketch = createFrequencySketch();
    for (let n = 0; n < 500; n += 1) {
      sketch.increment('popular');
      for (let other = 0; other < 1_000; other += 1) sketch.increment(requestKey(1_000 * n + other));
    }
    assert.equal(sketch.estimate('popular'), 500);
  });
});
