import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestName } from './nearest.js';

describe('the nearest name', () => {
  const known = ['account create', 'account list', 'plan list', 'status', 'to'];

  it('is found for a missing, an added, a wrong and a swapped letter, in any case', () => {
    for (const [given, name] of [
      ['acount list', 'account list'],
      ['statuss', 'status'],
      ['stazus', 'status'],
      ['sattus', 'status'],
      ['STATUS', 'status'],
      ['ot', 'to'],
    ] as const) {
      assert.equal(nearestName(given, known), name, given);
    }
  });

  it('is the closer one of two', () => {
    assert.equal(nearestName('plan lists', ['plan set', 'plan list']), 'plan list');
  });

  it('does not exist for a text that is mostly different, or without names', () => {
    assert.equal(nearestName('backup', known), undefined);
    assert.equal(nearestName('xy', known), undefined);
    assert.equal(nearestName('', known), undefined);
    assert.equal(nearestName('status', []), undefined);
  });
});
