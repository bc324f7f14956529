import type { ClickHouse } from '@almanac/clickhouse';
import type { MarketState } from '@almanac/contracts';
import { z } from 'zod';
import { hashedWord, type WordFilter, wordFilter } from '../words/word-filter.js';
import { backgroundLoad } from './background-load.js';
import { readRows } from './read-rows.js';
import { isTyped, wordsOf } from './search-words.js';
import { lowerOf } from './text-query.js';

/**
 * Which words the markets of a series may have. A search for words that a market has together with its event reads only
 * series whose markets may have the rest of them.
 */
export interface SeriesWords {
  /** True for a series that is not in memory. */
  mayHave(series: string, word: string): boolean;
  /** Whether the markets of one series may have a word of each group. */
  mayHaveTogether(groups: readonly (readonly string[])[]): boolean;
  add(series: string, words: readonly string[]): void;
  /** Reads the words from the tables, if some words were not followed. */
  read(): void;
  stop(): void;
}

/** A large series has some thousand words. */
const seriesAtOnce = 4;
/** For a group of series. They may have most of all markets. */
const groupMs = 120_000;
const seriesRow = z.object({ series: z.string() });
const wordsRow = seriesRow.extend({
  without_event: z.int(),
  with_blank: z.int(),
  id_starts: z.array(z.string()),
  id_words: z.array(z.int()),
  categories: z.array(z.string()),
  words: z.string(),
});
/** Stands among the words of a series with a market without an event. */
export const noEvent = '\0';
/** Stands among the words of a series with a market whose id has a blank. Venues make such ids rarely. */
export const blankInId = '\0 ';
const startLength = 3;
const firstCharacters = new RegExp(`^.{1,${startLength}}`, 'su');
const startMark = (first: string): string => `\0^${first}`;
const isStart = (word: string): boolean => word.startsWith('\0^');
/** Stands for the first characters of a ticker, in lower case. Undefined for an empty text. */
export const startOfId = (lowered: string): string | undefined => {
  const [first] = firstCharacters.exec(lowered) ?? [];
  return first === undefined ? undefined : startMark(first);
};
/** The starts of a ticker that a shorter text may be. */
const startsOfId = (lowered: string): string[] => {
  const [first = ''] = firstCharacters.exec(lowered) ?? [];
  const characters = Array.from(first);
  return characters.map((_, index) => startMark(characters.slice(0, index + 1).join('')));
};
/** Stands for tickers of so many words. Null: the number is not known. */
const idWordsMark = (words: number | null): string => `\0#${words ?? '?'}`;
/** What a series has, one or the other, if a ticker in it is the text. */
export const wordsOfWholeId = (text: string): string[] => [idWordsMark(wordsOf(text).length), idWordsMark(null)];
/** Stands for a market of the category. */
export const categoryMark = (category: string): string => `\0@${category}`;
export type NamedMarket = Pick<MarketState, 'ticker' | 'series' | 'event_ticker' | 'category'>;
export const marksOf = ({ ticker, event_ticker, category }: NamedMarket): string[] => [
  idWordsMark(wordsOf(ticker).length),
  ...(category === null ? [] : [categoryMark(category)]),
  ...(event_ticker === null ? [noEvent] : []),
  ...(ticker.includes(' ') ? [blankInId] : []),
  ...startsOfId(lowerOf(ticker)),
];

const seriesSql = 'SELECT DISTINCT series FROM markets';
/** Includes outdated rows. A word too many only costs time. */
const wordsSql = `SELECT series, countIf(event_ticker = '') AS without_event, countIf(position(ticker, ' ') > 0) AS with_blank,
    groupUniqArray(leftUTF8(lower(ticker), ${startLength})) AS id_starts,
    groupUniqArray(if(length(ticker) = lengthUTF8(ticker), length(extractAll(ticker, '[A-Za-z0-9]+')), -1)) AS id_words,
    groupUniqArray(category) AS categories,
    arrayStringConcat(groupUniqArrayArray(splitByChar(' ', trimLeft(words))), ' ') AS words FROM markets
  WHERE series IN {series:Array(String)} GROUP BY series`;

const filterOf = (row: z.output<typeof wordsRow>): WordFilter => {
  const words = row.words.split(' ').filter(isTyped);
  const filter = wordFilter(words.length);
  for (const word of words) filter.add(word);
  if (row.without_event > 0) filter.add(noEvent);
  if (row.with_blank > 0) filter.add(blankInId);
  for (const first of row.id_starts) for (const start of startsOfId(first)) filter.add(start);
  for (const count of row.id_words) filter.add(idWordsMark(count < 0 ? null : count));
  for (const category of row.categories) filter.add(categoryMark(category));
  return filter;
};

export const seriesWords = (
  clickhouse: ClickHouse,
  log: { error(facts: object, message: string): void },
): SeriesWords => {
  let filters = new Map<string, WordFilter>();
  /** All starts of tickers. Of hundreds of filters, one may claim any start. */
  let starts = new Set<string>();
  /** What was added while the tables are read. */
  let added: [series: string, words: readonly string[]][] | undefined;
  const put = (series: string, words: readonly string[]): void => {
    const filter = filters.get(series) ?? wordFilter(words.length);
    filters.set(series, filter);
    for (const word of words) filter.add(word);
    for (const word of words) if (isStart(word)) starts.add(word);
  };
  const load = async (stopping: AbortSignal): Promise<{ filters: Map<string, WordFilter>; starts: Set<string> }> => {
    const read = <Row extends z.ZodType>(sql: string, params: Record<string, unknown>, row: Row) =>
      readRows(clickhouse, { sql, params, signal: AbortSignal.any([stopping, AbortSignal.timeout(groupMs)]) }, row);
    const all = (await read(seriesSql, {}, seriesRow)).map(({ series }) => series);
    const found = { filters: new Map<string, WordFilter>(), starts: new Set<string>() };
    for (let from = 0; from < all.length; from += seriesAtOnce) {
      const series = all.slice(from, from + seriesAtOnce);
      for (const row of await read(wordsSql, { series }, wordsRow)) {
        found.filters.set(row.series, filterOf(row));
        for (const first of row.id_starts) for (const start of startsOfId(first)) found.starts.add(start);
      }
    }
    return found;
  };
  const reading = backgroundLoad(async (stopping) => {
    const meanwhile: NonNullable<typeof added> = [];
    added = meanwhile;
    try {
      ({ filters, starts } = await load(stopping));
      for (const [series, words] of meanwhile) put(series, words);
      return true;
    } finally {
      added = undefined;
    }
  }, log);
  return {
    mayHave: (series, word) => !reading.isLoaded() || (filters.get(series)?.mayHave(hashedWord(word)) ?? false),
    mayHaveTogether: (groups) => {
      if (!reading.isLoaded()) return true;
      if (groups.some((words) => words.every((word) => isStart(word) && !starts.has(word)))) return false;
      const hashed = groups.map((words) => words.map(hashedWord));
      return [...filters.values()].some((filter) =>
        hashed.every((words) => words.some((word) => filter.mayHave(word))),
      );
    },
    add: (series, words) => {
      added?.push([series, words]);
      put(series, words);
    },
    read: () => reading.read(),
    stop: () => reading.stop(),
  };
};
