import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { correctedQueries } from '../search/corrected-query.js';
import { editsBetween, nearestWords } from './nearest-word.js';
import { sortedWords } from './sorted-words.js';
import { vocabularyOf } from './vocabulary.js';

describe('the nearest spelling', () => {
  const known = ['bitcoin', 'bitcoins', 'ethereum', 'goals', 'rate', 'rates', 'pérez', '2026feb'];
  const nearest = (word: string) => nearestWords(word, known).map((one) => one.word);

  it('has the fewest letters exchanged, replaced, added or left out', () => {
    assert.deepEqual(nearest('bitcion'), ['bitcoin']);
    assert.deepEqual(nearest('etherium'), ['ethereum']);
    assert.deepEqual(nearest('gaols'), ['goals']);
    assert.deepEqual(nearest('ratess'), ['rates']);
    assert.deepEqual(nearest('perex'), ['pérez']);
  });

  it('is none for short words, for numbers and for words that are far from all', () => {
    for (const word of ['rat', '2026fev', 'zebra', 'xylophone']) assert.deepEqual(nearest(word), [], word);
  });

  it('agrees with a plain search of all words, for random words', () => {
    const random = seededRandom(7);
    const draw = (max: number) => Math.floor(random() * max);
    const word = (length: number) => Array.from({ length }, () => String.fromCharCode(97 + draw(4))).join('');
    const words = Array.from({ length: 300 }, () => word(3 + draw(7)));
    let found = 0;
    for (let round = 0; round < 300; round += 1) {
      const typed = word(4 + draw(6));
      const max = typed.length < 6 ? 1 : 2;
      const edits = words.map((one) => editsBetween(typed, one, 99) ?? 99);
      const fewest = Math.min(...edits);
      const expected = fewest > max ? [] : words.filter((_, index) => edits[index] === fewest);
      assert.deepEqual(
        nearestWords(typed, words).map((one) => one.word),
        expected,
        typed,
      );
      found += expected.length;
    }
    assert.ok(found > 100, `${found} words`);
  });

  it('replaces the words of a query that nothing has, and only these', () => {
    const words = sortedWords();
    words.add(['bitcoin', 'price', 'today']);
    const vocabulary = vocabularyOf(() => [words]);
    assert.deepEqual(correctedQueries('the bitcion Price', vocabulary), ['the bitcoin price']);
    assert.deepEqual(correctedQueries('bitc price', vocabulary), []);
    assert.deepEqual(correctedQueries('bitcion unicorn', vocabulary), []);
    assert.deepEqual(
      correctedQueries(
        'bitcion',
        vocabularyOf(() => [undefined]),
      ),
      [],
    );
  });
});
