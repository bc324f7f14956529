import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spansBy } from './market-gaps.js';

describe('the recorded spans of a market as of a time', () => {
  const span = (start_us: number, end_us: number) => ({
    layer: 'top' as const,
    start_us,
    end_us,
    tolerance_us: 0,
    end_reason: 'restart',
  });

  it('go on where they ended later, without the reason, and are not those that began later', () => {
    const spans = [span(10, 20), span(30, 40), span(50, 60)];
    assert.deepEqual(spansBy(spans, null), spans);
    assert.deepEqual(spansBy(spans, 9), []);
    assert.deepEqual(spansBy(spans, 20), [span(10, 20)]);
    assert.deepEqual(spansBy(spans, 39), [span(10, 20), { ...span(30, 39), end_reason: null }]);
    assert.deepEqual(spansBy(spans, 50).at(-1), { ...span(50, 50), end_reason: null });
  });
});
