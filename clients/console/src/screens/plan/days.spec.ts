import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countsOfDays } from './days.js';

describe('exports of days', () => {
  const midnight = 1_771_977_600;

  it('are counted by days of UTC, the oldest first, and none outside of the range', () => {
    const times = [midnight, midnight - 0.5, midnight + 86_399.9, midnight - 86_400 * 9];
    assert.deepEqual(countsOfDays(times, midnight + 60, 3), [
      { start: midnight - 2 * 86_400, exports: 0 },
      { start: midnight - 86_400, exports: 1 },
      { start: midnight, exports: 2 },
    ]);
  });
});
