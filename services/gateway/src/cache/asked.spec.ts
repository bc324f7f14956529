import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Asked, createAsked } from './asked.js';

const again = (asked: Asked, key: string): number => {
  asked.note(key);
  return asked.count(key);
};

const question = (n: number): string => `/markets/:ticker\ninternal\n\n{"ticker":"KXBTCD-26NOV0117-T${n}.99"}`;

describe('how often a question was asked', () => {
  it('is counted from the first time on', () => {
    const asked = createAsked();
    const counted = ['a', 'a', 'b', 'a'].map((key) => again(asked, key));
    assert.deepEqual([...counted, asked.count('c')], [1, 2, 1, 3, 0]);
  });

  it('is known of most after a thousand others, and never too high for a walk through all', () => {
    const asked = createAsked();
    const first = Array.from({ length: 1_000 }, (_, n) => again(asked, question(n)));
    for (let n = 1_000; n < 2_000; n += 1) first.push(again(asked, question(n)));
    assert.deepEqual(new Set(first), new Set([1]));
    const second = Array.from({ length: 1_000 }, (_, n) => again(asked, question(n)));
    assert.ok(second.filter((count) => count === 2).length > 800);
    const walk = Array.from({ length: 300_000 }, (_, n) => again(asked, question(10_000 + n)));
    assert.deepEqual(new Set(walk), new Set([1]));
  });
});
