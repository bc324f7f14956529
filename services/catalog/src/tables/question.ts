import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { ask } from './ask.js';
import type { Condition } from './filters.js';
import type { WordsKept } from './words-kept.js';
import { titleWord, wordsOf } from './words.js';

/** What is asked in words. */
export interface Question {
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
const begunWordsMax = 12;

/** Null: everything is asked for. Undefined: nothing can answer. */
export const questionOf = (q: string | null | undefined): Question | null | undefined => {
  const text = q?.trim().toWellFormed() ?? '';
  if (text === '') return null;
  if (text.length > charactersMax) return undefined;
  return { id: lowerOf(text), words: [...new Set(wordsOf(text))], title: titleWord(text) };
};

/** Letters A to Z alone, as ClickHouse's `lower` does it, by which ids are indexed. */
export const lowerOf = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** How well a thing answers: 1 by its id, 0.75 by the beginning of it, 0.625 by its title, 0.5 by words, 0.25 by beginnings of words. */
export const scoreOf = ({ id, words, title }: Question, thing: { id: string; words: readonly string[] }): number => {
  const thingId = lowerOf(thing.id);
  if (thingId === id) return 1;
  if (thingId.startsWith(id)) return 0.75;
  if (words.length === 0) return 0;
  if (thing.words.includes(title)) return 0.625;
  if (words.every((word) => thing.words.includes(word))) return 0.5;
  if (words.length > begunWordsMax) return 0;
  return words.every((word) => thing.words.some((found) => found.startsWith(word))) ? 0.25 : 0;
};

/** The same of a thing whose words stand in one text, with a blank before and behind each. */
export const scorerOf = ({ id, words, title }: Question): ((thing: { id: string; words: string }) => number) => {
  const [begun, whole] = [words.map((word) => ` ${word}`), words.map((word) => ` ${word} `)];
  return (thing) => {
    if (thing.id.startsWith(id)) return thing.id === id ? 1 : 0.75;
    // Nothing else answers without these.
    if (words.length === 0 || !begun.every((word) => thing.words.includes(word))) return 0;
    if (thing.words.includes(` ${title} `)) return 0.625;
    if (whole.every((word) => thing.words.includes(word))) return 0.5;
    return words.length > begunWordsMax ? 0 : 0.25;
  };
};

/** On `markets` and, by another name of the id's column, on other tables. */
export const byExactId = ({ id }: Question, column = 'ticker'): Condition => ({
  sql: `lower(${column}) = {q_id:String}`,
  params: { q_id: id },
});

export const byIdPrefix = ({ id }: Question, column = 'ticker'): Condition => ({
  sql: `startsWith(lower(${column}), {q_id:String})`,
  params: { q_id: id },
});

/** The question is its title; undefined without words. */
export const byTitle = ({ words, title }: Question): Condition | undefined =>
  words.length === 0
    ? undefined
    : { sql: 'hasAllTokens(words, {q_title:Array(String)})', params: { q_title: [title] } };

/** It has every word; undefined without words. */
export const byWords = ({ words }: Question): Condition | undefined =>
  words.length === 0 ? undefined : { sql: 'hasAllTokens(words, {q_words:Array(String)})', params: { q_words: words } };

/** Every word begins one of its words, by reading all `words`: for tables of some ten thousand rows. */
export const byBeginnings = (question: Question): Condition | undefined => {
  const { words } = question;
  if (words.length === 0 || words.length > begunWordsMax) return byWords(question);
  return { sql: `(${words.map((_, index) => begins(index)).join(' AND ')})`, params: paramsOf(words) };
};

/** A pattern cannot go wrong: words are letters and digits. */
const begins = (index: number): string => `words LIKE concat('% ', {q_word_${index}:String}, '%')`;

const paramsOf = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word, index) => [`q_word_${index}`, word]));

/** What a word of a question may stand for: how many words of markets begin so, and whether it is one itself. */
export interface Beginning {
  readonly n: number;
  readonly whole: boolean;
}

/** As many words as one beginning may stand for; one that is the beginning of more is looked for without them. */
const expansionsMax = 1_000;

/** In the order of the words, from memory where they are; undefined where words are taken as whole. */
export const beginningsOf = async (
  { clickhouse, words: kept }: { readonly clickhouse: ClickHouse; readonly words: Pick<WordsKept, 'beginningsOf'> },
  { words }: Question,
  signal: AbortSignal,
): Promise<readonly Beginning[] | undefined> => {
  if (words.length === 0 || words.length > begunWordsMax) return undefined;
  const known = kept.beginningsOf(words);
  if (known !== undefined) return known;
  const counts = words.map(
    (
      _,
      index,
    ) => `SELECT ${index} AS word_index, uniqExact(word) AS n, countIf(word = {q_word_${index}:String}) > 0 AS whole
      FROM market_words WHERE startsWith(word, {q_word_${index}:String})`,
  );
  const sql = counts.join(' UNION ALL ');
  const found = await ask(clickhouse, { sql, params: paramsOf(words), signal }, countsRow);
  return found.toSorted((a, b) => a.word_index - b.word_index).map(({ n, whole }) => ({ n, whole: whole === 1 }));
};

const countsRow = z.object({ word_index: z.int(), n: z.int(), whole: z.literal([0, 1]) });

/** On `markets`: every word begins one of its words, by the index. Undefined where one is the beginning of none. */
export const byBegunWords = (
  question: Question,
  beginnings: readonly Beginning[] | undefined,
): Condition | undefined => {
  const { words } = question;
  if (beginnings === undefined) return byWords(question);
  if (beginnings.some(({ n }) => n === 0)) return undefined;
  const [asWhole, begun] = [[] as string[], [] as number[]];
  for (const [index, word] of words.entries()) {
    if (isWholeAlone(beginnings[index])) asWhole.push(word);
    else begun.push(index);
  }
  const conditions = begun.map((index) =>
    (beginnings[index]?.n ?? 0) > expansionsMax ? begins(index) : beginsByIndex(index),
  );
  const params = paramsOf(words);
  if (asWhole.length === 0) return { sql: `(${conditions.join(' AND ')})`, params };
  const all = ['hasAllTokens(words, {q_whole:Array(String)})', ...conditions];
  return { sql: `(${all.join(' AND ')})`, params: { ...params, q_whole: asWhole } };
};

/** Then it finds as a beginning what it finds as a word. */
export const isWholeAlone = (beginning: Beginning | undefined): boolean =>
  beginning !== undefined && beginning.whole && beginning.n === 1;

const beginsByIndex = (index: number): string => `hasAnyTokens(words, (SELECT groupUniqArray(word) FROM market_words
  WHERE startsWith(word, {q_word_${index}:String})))`;
