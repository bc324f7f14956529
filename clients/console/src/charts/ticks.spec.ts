import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timeTicks, valueTicks } from './ticks.js';

describe('the ticks of an axis', () => {
  it('are round values, at most as many as fit, and at least two', () => {
    assert.deepEqual(valueTicks(0, 1, 11).values, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    assert.deepEqual(valueTicks(0.41, 0.58, 4), { values: [0.45, 0.5, 0.55], digits: 2 });
    assert.deepEqual(valueTicks(0, 5_300, 2).values, [0, 5_000]);
    for (const [low, high] of [
      [79_746.91, 79_747.12],
      [0.0085, 0.0091],
      [0.49, 0.51],
      [95_123, 96_871],
      [0, 1e-7],
    ] as const) {
      for (const most of [2, 3, 5, 12]) {
        const { values, digits } = valueTicks(low, high, most);
        const report = `${low} ${high} ${most}: ${values.join(' ')}`;
        assert.ok(values.length >= 2 && values.length <= Math.max(most, 5), report);
        assert.equal(new Set(values.map((value) => value.toFixed(digits))).size, values.length, report);
        assert.ok(
          values.every((value) => value >= low - 1e-9 && value <= high + 1e-9),
          report,
        );
      }
    }
  });

  it('are round times, from milliseconds to years', () => {
    for (const length of [0.02, 1, 59, 900, 3_600, 86_400, 31 * 86_400, 3 * 365 * 86_400]) {
      const from = 1_772_000_123.4;
      const { times, step } = timeTicks(from, from + length, 6);
      assert.ok(times.length >= 2 && times.length <= 6, `${length} s: ${times.join(' ')}`);
      for (const ts of times)
        assert.ok(Math.abs(ts / step - Math.round(ts / step)) < 1e-3, `${length} s: ${ts} ${step}`);
    }
  });

  it('have a value where all are the same', () => {
    assert.deepEqual(valueTicks(0.5, 0.5, 4).values, [0.5]);
  });
});
