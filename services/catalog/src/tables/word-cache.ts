import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows } from './read-rows.js';
import { backgroundLoad } from './background-load.js';
import { titleMark } from './search-words.js';

/** The words of markets that begin with a word of a text query: how many they are, and whether it is one itself. */
export interface PrefixMatch {
  readonly n: number;
  readonly isWord: boolean;
}

/** The words of all markets, in memory: those that can be queried, and maybe some of which no market is left. */
export interface WordCache {
  /** Of each of these, in order; undefined where the tables have to be asked. */
  prefixMatchesOf(words: readonly string[]): readonly PrefixMatch[] | undefined;
  /** Words of a market that was recorded. */
  add(words: readonly string[]): void;
  /** Reads those of the tables, where there are some that were not heard. */
  read(): void;
  stop(): void;
}

/** About 60 bytes each; two million generated markets have 64,000. */
const wordsMax = 500_000;
const pageMax = 20_000;
const pageMs = 20_000;
/** So many are looked through before they get their place in the order. */
const addedMax = 1_000;
const wordRow = z.object({ word: z.string() });
const wordsSql = 'SELECT DISTINCT word FROM market_words WHERE word > {after:String} ORDER BY word LIMIT {page:UInt32}';

export const wordCache = (clickhouse: ClickHouse, log: { error(facts: object, message: string): void }): WordCache => {
  /** In the order of JavaScript, in which words that begin alike are neighbours too. */
  let sorted: readonly string[] = [];
  /** Not among them. */
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
    const behind = firstAt(sorted, (one) => one > word && !one.startsWith(word));
    const more = [...added].filter((one) => one.startsWith(word));
    return { n: behind - from + more.length, isWord: sorted[from] === word || added.has(word) };
  };

  return {
    prefixMatchesOf: (words) => (reading.isLoaded() ? words.map(beginning) : undefined),
    add: (words) => {
      if (reading.isTooLarge) return;
      for (const word of words) if (!word.startsWith(titleMark) && !isSorted(word)) added.add(word);
      if (added.size <= addedMax) return;
      put(added);
      if (!isBounded()) reading.abandon();
    },
    read: () => reading.read(),
    stop: () => reading.stop(),
  };
};

/** Where the first stands for which it holds, as it does for all behind it. */
const firstAt = (sorted: readonly string[], holds: (one: string) => boolean): number => {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(sorted[middle] ?? '')) to = middle;
    else from = middle + 1;
  }
  return from;
};
