import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { readInTurn } from '../api/at-most.js';
import { archiveAt } from '../api/client.js';

export interface LastPrice {
  readonly bid: number | null;
  readonly ask: number | null;
  /** The time by which it was observed, if a gap or the end of the recording hides what came after it. */
  readonly untilTs?: number;
}

/** A request of the API takes 500 tickers. */
const tickersMax = 500;

type Known = readonly (readonly [ticker: string, price: LastPrice])[];

/** Candles of one request. Markets after them have no last price. */
const hiddenMax = 100;

/**
 * The last known best prices of the markets of each page, one request a page, and one more for those of which a gap or the end of
 * the recording hides the present.
 */
export const useLastPrices = (
  pages: readonly (readonly { readonly ticker: string }[])[],
  asOf: number | undefined,
): ReadonlyMap<string, LastPrice> => {
  const present = useQueries({
    queries: pages
      .filter((page) => page.length > 0 && page.length <= tickersMax)
      .map((page) => {
        const tickers = page.map(({ ticker }) => ticker);
        return {
          queryKey: ['last-prices', asOf, tickers],
          queryFn: ({ signal }: { signal: AbortSignal }) =>
            readInTurn(() => readPresent(tickers, asOf, signal), signal),
        };
      }),
    combine: (results) => results.map(({ data }) => data),
  });
  const past = useQueries({
    queries: present
      .flatMap((prices) => (prices === undefined ? [] : [hiddenOf(prices)]))
      .filter((tickers) => tickers.length > 0)
      .map((tickers) => ({
        queryKey: ['hidden-prices', asOf, tickers],
        queryFn: ({ signal }: { signal: AbortSignal }) => readInTurn(() => readPast(tickers, asOf, signal), signal),
      })),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => new Map([...present, ...past].flatMap((prices) => prices ?? [])), [present, past]);
};

const hiddenOf = (prices: Known): string[] =>
  prices.flatMap(([ticker, { bid, ask }]) => ((bid ?? ask) === null ? [ticker] : [])).slice(0, hiddenMax);

const readPresent = async (
  tickers: readonly string[],
  asOf: number | undefined,
  signal: AbortSignal,
): Promise<Known> => {
  const body = {
    tickers: [...tickers],
    at_ts: [asOf ?? Math.floor(Date.now() / 1_000)],
    fields: ['yes_best_bid' as const, 'yes_best_ask' as const],
  };
  const { snapshots } = await archiveAt(asOf).markets.at(body, { signal });
  return snapshots.map(({ ticker, yes_best_bid, yes_best_ask }) => [
    ticker,
    { bid: yes_best_bid ?? null, ask: yes_best_ask ?? null },
  ]);
};

/** Those of the last candle. */
const readPast = async (tickers: readonly string[], as_of: number | undefined, signal: AbortSignal): Promise<Known> => {
  const { candles, end_ts: latestTs } = await archiveAt(as_of)
    .markets.candlesOf({ tickers: [...tickers], points: 10 }, { signal })
    .firstPage();
  return candles.flatMap(({ ticker, end_ts, yes_bid, yes_ask }): Known => {
    const [bid, ask] = [yes_bid.close, yes_ask.close];
    return ticker === undefined || (bid ?? ask) === null
      ? []
      : [[ticker, { bid, ask, untilTs: Math.min(end_ts, latestTs) }]];
  });
};
