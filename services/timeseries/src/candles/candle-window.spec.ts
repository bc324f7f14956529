import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { checkSelection } from './candle-window.js';

const refused = (request: Parameters<typeof checkSelection>[0]): string => {
  try {
    checkSelection(request);
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof DomainError);
    return `${error.code}: ${error.detail}`;
  }
};

describe('the periods of candles', () => {
  it('divide a day', () => {
    const random = seededRandom(3);
    for (let round = 0; round < 500; round += 1) {
      const period_s = 1 + Math.floor(random() * 86_400);
      assert.equal(refused({ period_s }) === 'accepted', 86_400 % period_s === 0, String(period_s));
    }
    assert.equal(
      refused({ period_s: 61 }),
      'invalid_period: period_s must divide a day (86400 seconds). The nearest is 60.',
    );
  });
  it('come from period_s or from points, not from both', () => {
    assert.match(refused({ period_s: 60, points: 100 }), /^invalid_period: Send period_s or points/);
    assert.equal(refused({ points: 100 }), 'accepted');
    assert.equal(refused({}), 'accepted');
  });
});
