import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMeant, timeIn } from './meaning.js';

describe('what is typed into the search', () => {
  it('means a command by the beginnings of its words, in any order', () => {
    assert.ok(isMeant('th da', 'Theme: dark'));
    assert.ok(isMeant('usage plan', 'Plan and usage'));
    assert.ok(!isMeant('heme', 'Theme: dark'));
    assert.ok(!isMeant('KXBTC-26', 'Keys'));
    assert.ok(!isMeant(' ', 'Keys'));
  });

  it('is a time if it is a day that has begun, with or without a minute', () => {
    assert.equal(timeIn('2026-05-14'), 1_778_716_800);
    assert.equal(timeIn(' 2026-05-14 13:10 '), 1_778_764_200);
    for (const text of ['2026-13-40', '2126-01-01', '2026', '2026-05-14 13:10:01'])
      assert.equal(timeIn(text), undefined);
  });
});
