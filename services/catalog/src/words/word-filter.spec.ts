import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashedWord, wordFilter } from './word-filter.js';

const words = (from: number, count: number) => Array.from({ length: count }, (_, n) => `word${from + n}`);

describe('a filter of words', () => {
  it('has every word that was added, and few others', () => {
    const filter = wordFilter(5_000);
    for (const word of words(0, 5_000)) filter.add(word);
    assert.ok(words(0, 5_000).every((word) => filter.mayHave(hashedWord(word))));
    const wrong = words(10_000, 10_000).filter((word) => filter.mayHave(hashedWord(word))).length;
    assert.ok(wrong < 300, `${wrong} of 10,000`);
  });

  it('claims to have every word when it has far more than expected', () => {
    const filter = wordFilter(0);
    for (const word of words(0, 64)) filter.add(word);
    assert.ok(words(0, 64).every((word) => filter.mayHave(hashedWord(word))));
    assert.ok(!filter.mayHave(hashedWord('absent')));
    for (const word of words(0, 1_000)) filter.add(word);
    assert.ok(filter.mayHave(hashedWord('absent')));
  });
});
