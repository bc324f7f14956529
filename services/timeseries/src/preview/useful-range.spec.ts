import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathPointsMax, pathStepMs } from './path-step.js';
import { lastOpenUs, usefulRangeOf } from './useful-range.js';

describe('the useful range of a market', () => {
  const end = { lockedUs: null, closeUs: 900, lastUs: 880, live: false };

  it('goes from the first two-sided quote until the outcome was locked', () => {
    assert.deepEqual(usefulRangeOf({ twoSidedUs: 10 }, { ...end, lockedUs: 700 }), {
      startUs: 10,
      endUs: 700,
      reason: 'locked',
    });
  });

  it('ends with the close, else with the last observation, and is live while the market is', () => {
    assert.deepEqual(usefulRangeOf({ twoSidedUs: 10 }, end), { startUs: 10, endUs: 900, reason: 'closed' });
    assert.equal(usefulRangeOf({ twoSidedUs: 10 }, { ...end, closeUs: null }).endUs, 880);
    assert.deepEqual(usefulRangeOf({ twoSidedUs: 0 }, { ...end, live: true }), {
      startUs: null,
      endUs: 880,
      reason: 'live',
    });
  });

  it('is locked only when the mid stays at one end to the last quote', () => {
    const facts = { twoSidedUs: 1, lastMidUs: 900, lastNotUpUs: 900, lastNotDownUs: 900 };
    assert.equal(lastOpenUs(facts), null);
    assert.equal(lastOpenUs({ ...facts, lastNotUpUs: 600 }), 600);
    assert.equal(lastOpenUs({ ...facts, lastNotDownUs: 0 }), 0);
    assert.equal(lastOpenUs({ ...facts, lastMidUs: 0, lastNotUpUs: 0, lastNotDownUs: 0 }), null);
  });
});

describe('the step of a path', () => {
  it('is 0 when every row fits', () => {
    assert.equal(pathStepMs({ rows: 300, firstUs: 0, lastUs: 9e9 }), 0);
  });

  it('leaves at most 300 points wherever the span begins', () => {
    for (let run = 0; run < 2_000; run += 1) {
      const firstUs = Math.floor(Math.random() * 1e12);
      const lastUs = firstUs + Math.floor(Math.random() ** 4 * 21_600_000_000);
      const stepUs = pathStepMs({ rows: 301, firstUs, lastUs }) * 1_000;
      const points = Math.floor(lastUs / stepUs) - Math.floor(firstUs / stepUs) + 1;
      assert.ok(points <= pathPointsMax, `${points} points from ${firstUs} to ${lastUs}`);
    }
  });
});
