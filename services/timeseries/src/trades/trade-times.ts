import type { ReadCaller } from '@almanac/runtime';
import { z } from 'zod';
import { lastReceived } from '../as-of/last-rows.js';
import type { MarketContext } from '../market-context.js';
import type { ArchiveRows } from '../rows/archive-rows.js';
import { ofTickers, rowUs, storedTrades } from '../stored-rows.js';
import { type ValuesByVersion, valuesByVersion } from '../values-by-version.js';

/** The times of a market's first and last stored trade. */
export interface TradeTimes {
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Null for a market without stored trades. */
export type MarketTradeTimes = (
  markets: readonly MarketContext[],
  caller: ReadCaller,
) => Promise<readonly (TradeTimes | null)[]>;

const marketsMax = 100_000;

/** Params: tickers. */
const timesSql = `SELECT ticker, min(${rowUs}) AS first_us, max(${rowUs}) AS last_us
FROM ${storedTrades} WHERE ${ofTickers} GROUP BY ticker
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

const storedTimes = z.object({ ticker: z.string(), first_us: z.int(), last_us: z.int() });

export const marketTradeTimes = (rows: Pick<ArchiveRows, 'parsed'>): MarketTradeTimes => {
  const stored = storedTradeTimes(rows);
  const received = lastReceived(rows, storedTrades);
  return async (markets, caller) => {
    const all = await stored(markets, caller);
    const asOfUs = markets[0]?.asOfUs ?? null;
    if (asOfUs === null) return all;
    const known = all.map((times) => (times === null || times.firstUs > asOfUs ? null : times));
    const later = markets.filter((_, at) => (known[at]?.lastUs ?? 0) > asOfUs);
    const lastUs = await received(later, asOfUs, caller);
    return known.map((times, at) => {
      const last = lastUs.get(markets[at]?.state.ticker ?? '');
      return times === null || last === undefined ? times : { ...times, lastUs: last };
    });
  };
};

const storedTradeTimes = (rows: Pick<ArchiveRows, 'parsed'>): ValuesByVersion<TradeTimes | null> =>
  valuesByVersion<TradeTimes | null>({
    maxSize: marketsMax,
    sizeOf: () => 1,
    empty: null,
    load: async (tickers, caller) => {
      const read = await rows.parsed({ sql: timesSql, params: { tickers } }, storedTimes, caller);
      return new Map(read.map(({ ticker, first_us, last_us }) => [ticker, { firstUs: first_us, lastUs: last_us }]));
    },
  });

/** The market with the bounds of its observations and its trades together. Trades are no part of its other reads. */
export const withTradeTimes = (market: MarketContext, trades: TradeTimes | null): MarketContext => {
  if (trades === null) return market;
  const { minUs, times } = market;
  return {
    ...market,
    minUs: Math.min(minUs ?? trades.firstUs, trades.firstUs),
    times: { ...times, lastUs: Math.max(times.lastUs ?? trades.lastUs, trades.lastUs) },
  };
};
