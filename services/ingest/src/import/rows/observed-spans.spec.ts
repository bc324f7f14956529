import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { observedSpans, spanEnds } from './observed-spans.js';

const second = 1_000_000;

const spansOf = (times: readonly number[], every: number | null = 2) => {
  const spans = observedSpans({ everyUs: every === null ? null : every * second, tolerance: 3 });
  for (const at of times) spans.see('A', at * second);
  spans.endAll();
  return spans
    .take()
    .map(({ start_us, end_us, tolerance_us, end_reason }) => [
      start_us / second,
      end_us / second,
      tolerance_us / second,
      end_reason,
    ]);
};

describe('the spans of a recording at intervals', () => {
  it('end where rows are further apart than the tolerance', () => {
    assert.deepStrictEqual(spansOf([10, 12, 14, 20, 27, 29]), [
      [10, 20, 6, spanEnds.missing],
      [27, 29, 6, spanEnds.ended],
    ]);
    assert.deepStrictEqual(spansOf([]), []);
  });

  it('do not depend on the order of rows that are close together', () => {
    const random = seededRandom(5);
    for (let run = 0; run < 200; run += 1) {
      const times = Array.from({ length: 30 }, (_, at) => at * 2 + (at >= 16 ? 100 : 0) + Math.round(random()));
      const swapped = times.map((time, at) => (at % 2 === 0 ? (times[at + 1] ?? time) : (times[at - 1] ?? time)));
      assert.deepStrictEqual(spansOf(swapped), spansOf(times));
    }
  });

  it('have the median distance as their cadence if it is taken from the data', () => {
    const times = [0, 5, 10, 15, 20, 40, 45, 50];
    assert.deepStrictEqual(spansOf(times, null), [
      [0, 20, 15, spanEnds.missing],
      [40, 50, 15, spanEnds.ended],
    ]);
    const many = Array.from({ length: 5_000 }, (_, at) => at * 5 + (at < 3_000 ? 0 : 1_000));
    assert.deepStrictEqual(spansOf(many, null), [
      [0, 14_995, 15, spanEnds.missing],
      [16_000, 25_995, 15, spanEnds.ended],
    ]);
  });
});
