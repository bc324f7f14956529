import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffMs, withJitter } from './backoff.js';

const many = Array.from({ length: 1_000 }, (_, index) => index);

describe('waits between attempts', () => {
  it('are between half and one and a half of the given time, and differ', () => {
    const waits = many.map(() => withJitter(1_000));
    assert.ok(waits.every((ms) => ms >= 500 && ms <= 1_500));
    assert.ok(new Set(waits).size > 1);
  });

  it('double with each failure up to the longest', () => {
    const longest = { firstMs: 100, mostMs: 800 };
    for (const [earlier, ms] of [100, 200, 400, 800, 800].entries()) {
      const waits = many.map(() => backoffMs(earlier, longest));
      assert.ok(waits.every((wait) => wait >= ms / 2 && wait <= ms * 1.5));
      assert.ok(Math.max(...waits) > ms && Math.min(...waits) < ms);
    }
  });

  it('stay finite after any number of failures', () => assert.ok(backoffMs(5_000, { firstMs: 1, mostMs: 9 }) < 14));
});
