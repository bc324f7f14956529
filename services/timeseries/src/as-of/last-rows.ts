import { entryCache, type ReadCaller } from '@almanac/runtime';
import { z } from 'zod';
import type { MarketContext } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { ofTickers, rowUs, storedRows, type storedTrades } from '../stored-rows.js';

/** Sets the last row of each market about the past: the last one that was received by then. */
export type WithLastRows = (markets: readonly MarketContext[], caller: ReadCaller) => Promise<readonly MarketContext[]>;

const cachedMax = 100_000;

/** Params: tickers, as_of_us. */
const lastSql = (table: string): string => `SELECT ticker, max(${rowUs}) AS last_us FROM ${table}
WHERE ${ofTickers} AND ts <= fromUnixTimestamp64Micro({as_of_us:Int64}) GROUP BY ticker
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

const lastRow = z.object({ ticker: z.string(), last_us: z.int() });

/** The time of the last row that was received by a time, of each market that has rows later than that. */
export type LastReceived = (
  markets: readonly MarketContext[],
  asOfUs: number,
  caller: ReadCaller,
) => Promise<ReadonlyMap<string, number>>;

/** Times stay in memory until the data version of their market changes, so that a repeated read has no query. */
export const lastReceived = (
  rows: Pick<ArchiveRows, 'parsed'>,
  table: typeof storedRows | typeof storedTrades,
): LastReceived => {
  const cache = entryCache<string, number>(cachedMax);
  return async (markets, asOfUs, caller) => {
    const keyOf = ({ state, version }: MarketContext): string => `${state.ticker}\n${version}\n${asOfUs}`;
    const missing = markets.filter((market) => !cache.has(keyOf(market)));
    if (missing.length > 0) {
      const params = { tickers: missing.map(({ state }) => state.ticker), as_of_us: asOfUs };
      const read = await rows.parsed({ sql: lastSql(table), params }, lastRow, caller);
      const lastUs = new Map(read.map(({ ticker, last_us }) => [ticker, last_us]));
      for (const market of missing) cache.set(keyOf(market), lastUs.get(market.state.ticker) ?? -1);
    }
    return new Map(
      markets.flatMap((market) => {
        const us = cache.get(keyOf(market)) ?? -1;
        return us < 0 ? [] : [[market.state.ticker, us] as const];
      }),
    );
  };
};

export const withLastRows = (rows: Pick<ArchiveRows, 'parsed'>): WithLastRows => {
  const received = lastReceived(rows, storedRows);
  return async (markets, caller) => {
    const asOfUs = markets[0]?.asOfUs ?? null;
    const later = markets.filter(({ times }) => asOfUs !== null && times.lastUs !== null && times.lastUs > asOfUs);
    if (asOfUs === null || later.length === 0) return markets;
    const lastUs = await received(later, asOfUs, caller);
    return markets.map((market) =>
      later.includes(market)
        ? { ...market, times: { ...market.times, lastUs: lastUs.get(market.state.ticker) ?? null } }
        : market,
    );
  };
};
