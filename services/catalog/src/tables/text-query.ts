import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows } from './read-rows.js';
import type { Condition } from './filters.js';
import type { PrefixMatch, WordCache } from './word-cache.js';
import { titleWord, wordsOf } from './search-words.js';

export interface TextQuery {
  /** The text as a prefix of an id, in lower case. */
  readonly id: string;
  /** Distinct words. Empty if the text has only signs; then only an id can match. */
  readonly words: readonly string[];
  /** The word that a title equal to the text would have. */
  readonly title: string;
}

/** Longer than any title. A longer text matches nothing. */
const charactersMax = 500;
/** A text with more words was pasted, not typed, so its words are matched exactly instead of as prefixes. */
const prefixWordsMax = 12;

/** Null: no text, everything matches. Undefined: nothing can match. */
export const parseTextQuery = (q: string | null | undefined): TextQuery | null | undefined => {
  const text = q?.trim().toWellFormed() ?? '';
  if (text === '') return null;
  if (text.length > charactersMax) return undefined;
  return { id: lowerOf(text), words: [...new Set(wordsOf(text))], title: titleWord(text) };
};

/** Lowers only A to Z, like ClickHouse's `lower`, which the index of ids uses. */
export const lowerOf = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The score: 1 for the id, 0.75 for a prefix of it, 0.625 for the title, 0.5 for words, 0.25 for their prefixes. */
export const scoreOf = (
  { id, words, title }: TextQuery,
  candidate: { id: string; words: readonly string[] },
): number => {
  const candidateId = lowerOf(candidate.id);
  if (candidateId === id) return 1;
  if (candidateId.startsWith(id)) return 0.75;
  if (words.length === 0) return 0;
  if (candidate.words.includes(title)) return 0.625;
  if (words.every((word) => candidate.words.includes(word))) return 0.5;
  if (words.length > prefixWordsMax) return 0;
  return words.every((word) => candidate.words.some((found) => found.startsWith(word))) ? 0.25 : 0;
};

/** The same for a candidate whose words are one text with a blank before and after each word. */
export const scorerOf = ({ id, words, title }: TextQuery): ((candidate: { id: string; words: string }) => number) => {
  const [prefixWords, exactWords] = [words.map((word) => ` ${word}`), words.map((word) => ` ${word} `)];
  return (candidate) => {
    if (candidate.id.startsWith(id)) return candidate.id === id ? 1 : 0.75;
    // Every other match needs these.
    if (words.length === 0 || !prefixWords.every((word) => candidate.words.includes(word))) return 0;
    if (candidate.words.includes(` ${title} `)) return 0.625;
    if (exactWords.every((word) => candidate.words.includes(word))) return 0.5;
    return words.length > prefixWordsMax ? 0 : 0.25;
  };
};

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

/** Every word is a prefix of an entity's word. Scans `words`, so only for tables of some ten thousand rows. */
export const byPrefixScan = (textQuery: TextQuery): Condition | undefined => {
  const { words } = textQuery;
  if (words.length === 0 || words.length > prefixWordsMax) return byWords(textQuery);
  return { sql: `(${words.map((_, index) => prefixPattern(index)).join(' AND ')})`, params: paramsOf(words) };
};

/** Words contain only letters and digits, so the pattern needs no escaping. */
const prefixPattern = (index: number): string => `words LIKE concat('% ', {q_word_${index}:String}, '%')`;

const paramsOf = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word, index) => [`q_word_${index}`, word]));

/** Maximum number of words that one prefix expands to. A prefix with more matches is searched without expansion. */
const expansionsMax = 1_000;

/** In the order of the words, from memory if loaded. Undefined if words are matched exactly. */
export const prefixMatchesOf = async (
  {
    clickhouse,
    words: wordCache,
  }: { readonly clickhouse: ClickHouse; readonly words: Pick<WordCache, 'prefixMatchesOf'> },
  { words }: TextQuery,
  signal: AbortSignal,
): Promise<readonly PrefixMatch[] | undefined> => {
  if (words.length === 0 || words.length > prefixWordsMax) return undefined;
  const known = wordCache.prefixMatchesOf(words);
  if (known !== undefined) return known;
  const counts = words.map(
    (
      _,
      index,
    ) => `SELECT ${index} AS word_index, uniqExact(word) AS n, countIf(word = {q_word_${index}:String}) > 0 AS whole
      FROM market_words WHERE startsWith(word, {q_word_${index}:String})`,
  );
  const sql = counts.join(' UNION ALL ');
  const found = await readRows(clickhouse, { sql, params: paramsOf(words), signal }, countsRow);
  return found.toSorted((a, b) => a.word_index - b.word_index).map(({ n, whole }) => ({ n, isWord: whole === 1 }));
};

const countsRow = z.object({ word_index: z.int(), n: z.int(), whole: z.literal([0, 1]) });

/** On `markets`: every word is a prefix of a market's word, by the index. Undefined if one is no prefix at all. */
export const byWordPrefixes = (
  textQuery: TextQuery,
  beginnings: readonly PrefixMatch[] | undefined,
): Condition | undefined => {
  const { words } = textQuery;
  if (beginnings === undefined) return byWords(textQuery);
  if (beginnings.some(({ n }) => n === 0)) return undefined;
  const [exactIndexes, prefixWords] = [[] as string[], [] as number[]];
  for (const [index, word] of words.entries()) {
    if (isOnlyWord(beginnings[index])) exactIndexes.push(word);
    else prefixWords.push(index);
  }
  const conditions = prefixWords.map((index) =>
    (beginnings[index]?.n ?? 0) > expansionsMax ? prefixPattern(index) : prefixInIndex(index),
  );
  const params = paramsOf(words);
  if (exactIndexes.length === 0) return { sql: `(${conditions.join(' AND ')})`, params };
  const all = ['hasAllTokens(words, {q_whole:Array(String)})', ...conditions];
  return { sql: `(${all.join(' AND ')})`, params: { ...params, q_whole: exactIndexes } };
};

/** Whether the prefix matches only itself. Then a prefix match finds the same as an exact match. */
export const isOnlyWord = (beginning: PrefixMatch | undefined): boolean =>
  beginning !== undefined && beginning.isWord && beginning.n === 1;

const prefixInIndex = (index: number): string => `hasAnyTokens(words, (SELECT groupUniqArray(word) FROM market_words
  WHERE startsWith(word, {q_word_${index}:String})))`;
