import { type ClickHouse, insertBytes } from '@almanac/clickhouse';
import { titleMark } from './search-words.js';
import type { TableRows } from './rows.js';

/** Stores the words of these markets, for the search of prefixes. Existing words are not duplicated. */
export const storeWords = async (clickhouse: ClickHouse, markets: TableRows['markets']): Promise<void> => {
  const words = new Set(markets.flatMap((market) => market.words.split(' ')));
  for (const word of words) if (word === '' || word.startsWith(titleMark)) words.delete(word);
  if (words.size === 0) return;
  const body = Buffer.from([...words].map((word) => JSON.stringify({ word })).join('\n'));
  await insertBytes(clickhouse, { table: 'market_words', columns: ['word'], format: 'JSONEachRow', body });
};

export const allWordsSql = ({ from, into }: { from: string; into: string }): string =>
  `INSERT INTO ${into} (word) SELECT DISTINCT arrayJoin(splitByChar(' ', trimLeft(words))) AS word FROM ${from}
  WHERE words != '' AND NOT startsWith(word, '${titleMark}')`;
