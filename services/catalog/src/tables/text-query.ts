import { type SearchTerm, termsOf } from '../words/search-terms.js';
import type { Vocabulary } from '../words/vocabulary.js';
import type { Condition } from './filters.js';
import { titleWord, wordsOf } from './search-words.js';

export interface TextQuery {
  /** The text as a prefix of an id, in lower case. */
  readonly id: string;
  /** Distinct words. Empty if the text has only signs; then only an id can match. */
  readonly words: readonly string[];
  /** The word that a title equal to the text would have. */
  readonly title: string;
  /** One for each word except fill words. Empty if there are too many words: they are matched exactly. */
  readonly terms: readonly SearchTerm[];
}

/**
 * Scores of a hit: the exact id, a prefix of it, the title, every word, other forms of the words, words that the entity
 * has together with its event or series, prefixes of words, and prefixes together with its event or series.
 */
export const scores = {
  id: 1,
  idPrefix: 0.75,
  title: 0.625,
  words: 0.5,
  forms: 0.4375,
  parents: 0.375,
  prefixes: 0.25,
  parentPrefixes: 0.1875,
} as const;

/** Longer than any title. A longer text matches nothing. */
const charactersMax = 500;
/** A text with more words was pasted, not typed, so its words are matched exactly. */
const termsMax = 12;

/** Null: no text, everything matches. Undefined: nothing can match. */
export const parseTextQuery = (q: string | null | undefined, vocabulary: Vocabulary): TextQuery | null | undefined => {
  const text = q?.trim().toWellFormed() ?? '';
  if (text === '') return null;
  if (text.length > charactersMax) return undefined;
  const words = [...new Set(wordsOf(text))];
  const terms = words.length > termsMax ? [] : termsOf(words, vocabulary);
  return { id: lowerOf(text), words, title: titleWord(text), terms };
};

/** Lowers only A to Z, like ClickHouse's `lower`, which the index of ids uses. */
export const lowerOf = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** On `markets`, or on another table with another id column. */
export const byExactId = ({ id }: TextQuery, column = 'ticker'): Condition => ({
  sql: `lower(${column}) = {q_id:String}`,
  params: { q_id: id },
});

export const byIdPrefix = ({ id }: TextQuery, column = 'ticker'): Condition => ({
  sql: `startsWith(lower(${column}), {q_id:String})`,
  params: { q_id: id },
});

export const byTitle = ({ words, title }: TextQuery): Condition | undefined =>
  words.length === 0
    ? undefined
    : { sql: 'hasAllTokens(words, {q_title:Array(String)})', params: { q_title: [title] } };

export const byWords = ({ words }: TextQuery): Condition | undefined =>
  words.length === 0 ? undefined : { sql: 'hasAllTokens(words, {q_words:Array(String)})', params: { q_words: words } };
