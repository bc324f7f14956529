import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { searchable, wordsOf } from './words.js';

describe('words', () => {
  it('are letters and digits of any script, in lower case', () => {
    assert.deepEqual(wordsOf('Bitcoin up, or DOWN? 15-min: ÄRGER 東京'), [
      'bitcoin',
      'up',
      'or',
      'down',
      '15',
      'min',
      'ärger',
      '東京',
    ]);
    assert.deepEqual(wordsOf('*** ??'), []);
  });

  it('stand once each after a blank, so that a start of a word can be looked for', () =>
    assert.equal(searchable('Bitcoin 15 min', null, 'Bitcoin', 'KXBTC15M'), ' bitcoin 15 min kxbtc15m'));
});
