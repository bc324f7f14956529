import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows } from './read-rows.js';
import { backgroundLoad } from './background-load.js';
import { titleMark } from './search-words.js';

/** Words of markets with a prefix: how many there are, and whether the prefix is a word itself. */
export interface PrefixMatch {
  readonly n: number;
  readonly isWord: boolean;
}

/** The words of all markets in memory, maybe with some that no market has any more. */
export type WordCache = ReturnType<typeof wordCache>;

/** About 60 bytes each. Two million generated markets have 64,000. */
const wordsMax = 500_000;
const pageMax = 20_000;
const pageMs = 20_000;
/** Maximum number of unsorted words. They are searched one by one. */
const addedMax = 1_000;
const wordRow = z.object({ word: z.string() });
const wordsSql = 'SELECT DISTINCT word FROM market_words WHERE word > {after:String} ORDER BY word LIMIT {page:UInt32}';

export const wordCache = (clickhouse: ClickHouse, log: { error(facts: object, message: string): void }) => {
  /** In JavaScript's order, which also puts words with a common prefix together. */
  let sorted: readonly string[] = [];
  /** Words that are not in `sorted`. */
  let added = new Set<string>();

  const isSorted = (word: string): boolean => sorted[firstAt(sorted, (one) => one >= word)] === word;
  const put = (words: Iterable<string>): void => {
    sorted = [...new Set([...sorted, ...words])].toSorted();
    added = new Set();
  };
  const reading = backgroundLoad(async (stopping) => {
    const found: string[] = [];
    for (let after: string | undefined = ''; after !== undefined && found.length <= wordsMax;) {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(pageMs)]);
      const page: z.output<typeof wordRow>[] = await readRows(
        clickhouse,
        { sql: wordsSql, params: { after, page: pageMax }, signal },
        wordRow,
      );
      for (const { word } of page) found.push(word);
      after = page.length < pageMax ? undefined : page.at(-1)?.word;
    }
    put([...found, ...added]);
    return isBounded();
  }, log);
  const isBounded = (): boolean => {
    if (sorted.length <= wordsMax) return true;
    sorted = [];
    return false;
  };

  const beginning = (word: string): PrefixMatch => {
    const from = firstAt(sorted, (one) => one >= word);
    const end = firstAt(sorted, (one) => one > word && !one.startsWith(word));
    const more = [...added].filter((one) => one.startsWith(word));
    return { n: end - from + more.length, isWord: sorted[from] === word || added.has(word) };
  };

  return {
    /** The matches of each word, in order. Undefined if the tables must be queried. */
    prefixMatchesOf: (words: readonly string[]): readonly PrefixMatch[] | undefined =>
      reading.isLoaded() ? words.map(beginning) : undefined,
    add: (words: readonly string[]) => {
      if (reading.isTooLarge) return;
      for (const word of words) if (!word.startsWith(titleMark) && !isSorted(word)) added.add(word);
      if (added.size <= addedMax) return;
      put(added);
      if (!isBounded()) reading.abandon();
    },
    /** Reads the words from the tables, if some words were not followed. */
    read: () => reading.read(),
    stop: () => reading.stop(),
  };
};

/** Binary search: the first index for which `holds` is true, given that it is true for all later ones. */
const firstAt = (sorted: readonly string[], holds: (one: string) => boolean): number => {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(sorted[middle] ?? '')) to = middle;
    else from = middle + 1;
  }
  return from;
};
