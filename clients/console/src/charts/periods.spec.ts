import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundView, bodyShare, periodOf, periods } from './periods.js';

describe('the period of candles', () => {
  it('gives each body at least 5 pixels, divides a day, and is the shortest that does', () => {
    for (const length of [5, 60, 900, 86_400, 30 * 86_400]) {
      for (const width of [250, 800, 1_300]) {
        const period = periodOf({ from: 0, to: length }, width);
        assert.equal(86_400 % period, 0);
        if (period < 86_400) assert.ok((period / length) * width * bodyShare >= 5, `${length} ${width} ${period}`);
        const shorter = periods.findLast((one) => one < period);
        if (shorter !== undefined) assert.ok((shorter / length) * width < 8, `${length} ${width} ${period}`);
      }
    }
  });

  it('is a chosen one until its candles would be lines', () => {
    assert.equal(periodOf({ from: 0, to: 900 }, 800, 60), 60);
    assert.equal(periodOf({ from: 0, to: 86_400 }, 800, 60), 900);
  });

  it('is read with half of what is in sight on each side, in whole periods and within the limits', () => {
    assert.deepEqual(aroundView({ from: 1_000, to: 1_100 }, { from: 0, to: 5_000 }, 60), { from: 900, to: 1_200 });
    assert.deepEqual(aroundView({ from: 10, to: 110 }, { from: 10, to: 110 }, 60), { from: 0, to: 120 });
  });
});
