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

  it('remembers most keys after a thousand others, and never counts too high during a walk through all', () => {
    const sketch = createFrequencySketch();
    const first = Array.from({ length: 1_000 }, (_, n) => again(sketch, requestKey(n)));
    for (let n = 1_000; n < 2_000; n += 1) first.push(again(sketch, requestKey(n)));
    assert.deepEqual(new Set(first), new Set([1]));
    const second = Array.from({ length: 1_000 }, (_, n) => again(sketch, requestKey(n)));
    assert.ok(second.filter((estimate) => estimate === 2).length > 800);
    const walk = Array.from({ length: 300_000 }, (_, n) => again(sketch, requestKey(10_000 + n)));
    assert.deepEqual(new Set(walk), new Set([1]));
  });
});
