import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editDistance, nearestName } from './nearest-name.js';

describe('editDistance', () => {
  it('counts inserted, removed, replaced and swapped characters', () => {
    const distances = [
      ['', ''],
      ['', 'abc'],
      ['limit', 'limt'],
      ['limit', 'limmit'],
      ['limit', 'lumit'],
      ['from', 'form'],
      ['kitten', 'sitting'],
      ['ca', 'abc'],
    ].map(([one = '', other = '']) => editDistance(one, other));
    assert.deepEqual(distances, [0, 3, 1, 1, 1, 1, 3, 3]);
  });
  it('is the same in both directions', () => {
    const words = ['limit', 'start_ts', 'end_ts', 'stats', 'status', 'series', ''];
    for (const one of words)
      for (const other of words) assert.equal(editDistance(one, other), editDistance(other, one));
  });
});

describe('nearestName', () => {
  const query = ['series', 'status', 'event', 'q', 'category', 'limit', 'days', 'from_ts', 'to_ts', 'cursor'];
  it('finds a misspelt, differently cased, joined or shortened name', () => {
    for (const [given, near] of [
      ['limt', 'limit'],
      ['LIMIT', 'limit'],
      ['form_ts', 'from_ts'],
      ['fromTs', 'from_ts'],
      ['from', 'from_ts'],
      ['to', 'to_ts'],
      ['cat', 'category'],
      ['serie', 'series'],
      ['day', 'days'],
    ] as const) {
      assert.equal(nearestName(given, query), near, given);
    }
  });
  it('prefers the smallest difference, and the first name among equals', () => {
    assert.equal(nearestName('days', ['day', 'days']), 'days');
    assert.equal(nearestName('bat', ['cat', 'hat']), 'cat');
  });
  it('finds nothing when no name is similar', () => {
    for (const given of ['', '_', 'x', 'nonsense', 'zz', 'l'.repeat(10_000), '日本語', '__proto__']) {
      assert.equal(nearestName(given, query), undefined, given);
    }
    assert.equal(nearestName('limit', []), undefined);
  });
});
