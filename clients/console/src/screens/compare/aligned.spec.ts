import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nothing } from '../../charts/price-points.js';
import { alignedOf, differencesOf } from './aligned.js';

const point = (ts: number, mid: number | null, span_s = 0) => ({ ...nothing, ts, mid, span_s });

describe('two markets on one clock', () => {
  it('have at each change of one of them the price that holds of both', () => {
    const aligned = alignedOf([
      [point(1, 0.1), point(3, 0.3), point(5, null)],
      [point(2, 0.2), point(3, 0.25)],
    ]);
    assert.deepEqual(aligned, {
      ts: [1, 2, 3, 5],
      prices: [
        [0.1, 0.1, 0.3, null],
        [null, 0.2, 0.25, 0.25],
      ],
    });
    assert.deepEqual(differencesOf(aligned), [null, -0.1, 0.05, null]);
  });

  it('end with the last candle of each, and take the only side that is known', () => {
    const aligned = alignedOf([[{ ...point(1, null, 2), bid: 0.4 }], [point(1, 0.7, 1), point(2, 0.8, 2)]]);
    assert.deepEqual(aligned, {
      ts: [1, 2, 3, 4],
      prices: [
        [0.4, 0.4, null, null],
        [0.7, 0.8, 0.8, null],
      ],
    });
    assert.deepEqual(differencesOf(alignedOf([[], []])), []);
  });
});
