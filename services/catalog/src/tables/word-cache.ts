import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { type PrefixMatch, type SortedWords, sortedWords } from '../words/sorted-words.js';
import { readRows } from './read-rows.js';
import { backgroundLoad } from './background-load.js';
import { titleMark } from './search-words.js';

/** The words of all markets in memory, maybe with some that no market has any more. */
export type WordCache = ReturnType<typeof wordCache>;

/** About 60 bytes each. Two million generated markets have 64,000. */
const wordsMax = 500_000;
const pageMax = 20_000;
const pageMs = 20_000;
const wordRow = z.object({ word: z.string() });
const wordsSql = 'SELECT DISTINCT word FROM market_words WHERE word > {after:String} ORDER BY word LIMIT {page:UInt32}';

export const wordCache = (clickhouse: ClickHouse, log: { error(facts: object, message: string): void }) => {
  const words = sortedWords();
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
    words.add(found);
    return isBounded();
  }, log);
  const isBounded = (): boolean => {
    if (words.size <= wordsMax) return true;
    words.clear();
    return false;
  };
  const current = (): SortedWords | undefined => (reading.isLoaded() ? words : undefined);

  return {
    /** Undefined if the tables must be queried. */
    current,
    /** The matches of each word, in order. Undefined if the tables must be queried. */
    prefixMatchesOf: (some: readonly string[]): readonly PrefixMatch[] | undefined => {
      const loaded = current();
      return loaded && some.map((word) => loaded.prefixMatch(word));
    },
    add: (some: readonly string[]) => {
      if (reading.isTooLarge) return;
      words.add(some.filter((word) => !word.startsWith(titleMark)));
      if (!isBounded()) reading.abandon();
    },
    /** Reads the words from the tables, if some words were not followed. */
    read: () => reading.read(),
    stop: () => reading.stop(),
  };
};
