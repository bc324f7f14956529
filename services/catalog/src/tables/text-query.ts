import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows } from './read-rows.js';
import type { Condition } from './filters.js';
import type { PrefixMatch, WordCache } from './word-cache.js';
import { titleWord, wordsOf } from './search-words.js';

/** What is asked in words. */
export interface TextQuery {
  /** As an id would begin, in lower case. */
  readonly id: string;
  /** Each once; none in a question of signs alone, which only an id can answer. */
  readonly words: readonly string[];
  /** The word of the title that it would be. */
  readonly title: string;
}

/** Longer than any title: what a person asks in more characters names nothing. */
const charactersMax = 500;
/** Beyond it a text was pasted, not begun to be typed, and words are taken as whole. */
const prefixWordsMax = 12;

/** Null: everything is asked for. Undefined: nothing can answer. */
export const parseTextQuery = (q: string | null | undefined): TextQuery | null | undefined => {
  const text = q?.trim().toWellFormed() ?? '';
  if (text === '') return null;
  if (text.length > charactersMax) return undefined;
  return { id: lowerOf(text), words: [...new Set(wordsOf(text))], title: titleWord(text) };
};

/** Letters A to Z alone, as ClickHouse's `lower` does it, by which ids are indexed. */
export const lowerOf = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** How well a thing answers: 1 by its id, 0.75 by the beginning of it, 0.625 by its title, 0.5 by words, 0.25 by beginnings of words. */
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

/** The same of a thing whose words stand in one text, with a blank before and behind each. */
export const scorerOf = ({ id, words, title }: TextQuery): ((candidate: { id: string; words: string }) => number) => {
  const [prefixWords, exactWords] = [words.map((word) => ` ${word}`), words.map((word) => ` ${word} `)];
  return (candidate) => {
    if (candidate.id.startsWith(id)) return candidate.id === id ? 1 : 0.75;
    // Nothing else answers without these.
    if (words.length === 0 || !prefixWords.every((word) => candidate.words.includes(word))) return 0;
    if (candidate.words.includes(` ${title} `)) return 0.625;
    if (exactWords.every((word) => candidate.words.includes(word))) return 0.5;
    return words.length > prefixWordsMax ? 0 : 0.25;
  };
};

/** On `markets` and, by another name of the id's column, on other tables. */
export const byExactId = ({ id }: TextQuery, column = 'ticker'): Condition => ({
  sql: `lower(${column}) = {q_id:String}`,
  params: { q_id: id },
});

export const byIdPrefix = ({ id }: TextQuery, column = 'ticker'): Condition => ({
  sql: `startsWith(lower(${column}), {q_id:String})`,
  params: { q_id: id },
});

/** The question is its title; undefined without words. */
export const byTitle = ({ words, title }: TextQuery): Condition | undefined =>
  words.length === 0
    ? undefined
    : { sql: 'hasAllTokens(words, {q_title:Array(String)})', params: { q_title: [title] } };

/** It has every word; undefined without words. */
export const byWords = ({ words }: TextQuery): Condition | undefined =>
  words.length === 0 ? undefined : { sql: 'hasAllTokens(words, {q_words:Array(String)})', params: { q_words: words } };

/** Every word begins one of its words, by reading all `words`: for tables of some ten thousand rows. */
export const byPrefixScan = (textQuery: TextQuery): Condition | undefined => {
  const { words } = textQuery;
  if (words.length === 0 || words.length > prefixWordsMax) return byWords(textQuery);
  return { sql: `(${words.map((_, index) => prefixPattern(index)).join(' AND ')})`, params: paramsOf(words) };
};

/** A pattern cannot go wrong: words are letters and digits. */
const prefixPattern = (index: number): string => `words LIKE concat('% ', {q_word_${index}:String}, '%')`;

const paramsOf = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word, index) => [`q_word_${index}`, word]));

/** As many words as one beginning may stand for; one that is the beginning of more is looked for without them. */
const expansionsMax = 1_000;

/** In the order of the words, from memory where they are; undefined where words are taken as whole. */
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

/** On `markets`: every word begins one of its words, by the index. Undefined where one is the beginning of none. */
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

/** Then it finds as a beginning what it finds as a word. */
export const isOnlyWord = (beginning: PrefixMatch | undefined): boolean =>
  beginning !== undefined && beginning.isWord && beginning.n === 1;

const prefixInIndex = (index: number): string => `hasAnyTokens(words, (SELECT groupUniqArray(word) FROM market_words
  WHERE startsWith(word, {q_word_${index}:String})))`;
