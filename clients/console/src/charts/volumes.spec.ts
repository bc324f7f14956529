import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { volumesOf } from './volumes.js';

describe('the volume of trades', () => {
  it('is the sum of each period with trades, without the noise of sums, in any order of trades', () => {
    const trades = [
      { ts: 61, size: 0.2 },
      { ts: 5, size: 3 },
      { ts: 60, size: 0.1 },
      { ts: 200, size: 7 },
    ];
    assert.deepEqual(
      volumesOf(trades, 60).map(({ ts, span_s, volume, open }) => [ts, span_s, volume, open]),
      [
        [0, 60, 3, null],
        [60, 60, 0.3, null],
        [180, 60, 7, null],
      ],
    );
    assert.deepEqual(volumesOf([], 60), []);
  });
});
