import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { termsOf } from './search-terms.js';
import { sortedWords } from './sorted-words.js';
import { formsOf, joinedFormsOf, unitFormsOf, withoutAccents } from './word-forms.js';
import { vocabularyOf } from './vocabulary.js';

describe('forms of a word', () => {
  const has = (word: string, ...forms: string[]) => {
    const found = formsOf(word);
    for (const form of forms) assert.ok(found.includes(form), `${word}: ${found.join(' ')}`);
  };

  it('are singular and plural, regular and not', () => {
    has('election', 'elections');
    has('elections', 'election');
    has('primaries', 'primary');
    has('people', 'person');
    assert.deepEqual(formsOf('us'), ['us']);
    assert.deepEqual(formsOf('26feb'), ['26feb']);
  });

  it('are the names of the same coin or currency', () => {
    has('btc', 'bitcoin');
    has('bitcoins', 'btc');
    has('yen', 'jpy');
    assert.deepEqual(
      formsOf('m').filter((form) => form !== 'm'),
      [],
    );
  });

  it('lose accents of Latin letters, and no vowels of other scripts', () => {
    assert.deepEqual(['pérez', 'são', 'łódź', 'straße', 'zürich'].map(withoutAccents), [
      'perez',
      'sao',
      'lodz',
      'strasse',
      'zurich',
    ]);
    assert.deepEqual(['東京', 'हिन्दी', '한국'].map(withoutAccents), ['東京', 'हिन्दी', '한국']);
  });

  it('of a number with a unit are its other names, as one word and as two', () => {
    const { words, pairs } = unitFormsOf('15m');
    assert.ok(words.includes('15min') && words.includes('15minutes'));
    assert.ok(pairs.some(([number, unit]) => number === '15' && unit === 'minute'));
    assert.ok(joinedFormsOf('15', 'minutes').includes('15m'));
    assert.deepEqual(unitFormsOf('15x').words, []);
  });
});

describe('terms of a query', () => {
  const words = sortedWords();
  words.add(['tik', 'tok', 'tiktok', 'pokémon', 'election', 'elections', 'price', 'bitcoin']);
  const vocabulary = vocabularyOf(() => [words]);
  const forms = (...query: string[]) => termsOf(query, vocabulary).map((term) => term.forms);

  it('have the forms that an entity has, with its accents', () => {
    assert.deepEqual(forms('elections'), [['elections', 'election']]);
    assert.deepEqual(forms('pokemon'), [['pokemon', 'pokémon']]);
    assert.deepEqual(forms('prices'), [['prices', 'price']]);
  });

  it('have two words as one, and one word as two', () => {
    assert.deepEqual(forms('tik', 'tok'), [
      ['tik', 'tiktok'],
      ['tok', 'tiktok'],
    ]);
    assert.deepEqual(termsOf(['tiktok'], vocabulary)[0]?.phrases, [['tik', 'tok']]);
    assert.deepEqual(termsOf(['bitcoin'], vocabulary)[0]?.phrases, []);
  });

  it('leave out fill words, unless there are no others', () => {
    assert.deepEqual(
      termsOf(['what', 'is', 'the', 'price', 'of', 'bitcoin'], vocabulary).map(({ word }) => word),
      ['price', 'bitcoin'],
    );
    assert.deepEqual(
      termsOf(['who', 'is', 'the'], vocabulary).map(({ word }) => word),
      ['who', 'is', 'the'],
    );
  });

  it('have generated forms and no others while words are not in memory', () => {
    const [term] = termsOf(
      ['elections'],
      vocabularyOf(() => [undefined]),
    );
    assert.ok(term?.forms.includes('election'));
    assert.deepEqual(term?.phrases, []);
  });
});
