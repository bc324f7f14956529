import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failingMsMax, waitMs } from './schedule.js';

describe('the waits between attempts', () => {
  it('grow from 5 seconds to 2 hours, with up to 20 % more', () => {
    const seconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 7_200, 7_200];
    const waits = (random: number) => seconds.map((_, attempt) => waitMs(attempt + 1, () => random) / 1_000);
    assert.deepEqual(waits(0), seconds);
    assert.deepEqual(
      waits(1),
      seconds.map((wait) => wait * 1.2),
    );
  });

  it('add up to about 19 attempts before a webhook is disabled', () => {
    let attempts = 1;
    for (let ms = 0; ms < failingMsMax; attempts += 1) ms += waitMs(attempts, () => 0);
    assert.equal(attempts, 19);
  });
});
