import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { archiveAt } from '../api/client.js';

export interface LastPrice {
  readonly bid: number | null;
  readonly ask: number | null;
  /** The time by which it was observed, if a gap or the end of the recording hides what came after it. */
  readonly untilTs?: number;
}

/** A request of the API takes 500 tickers. */
const tickersMax = 500;

/** The last known best prices of the markets of each page, one request a page. */
export const useLastPrices = (
  pages: readonly (readonly { readonly ticker: string }[])[],
  asOf: number | undefined,
): ReadonlyMap<string, LastPrice> => {
  const queries = useQueries({
    queries: pages
      .filter((page) => page.length > 0 && page.length <= tickersMax)
      .map((page) => {
        const tickers = page.map(({ ticker }) => ticker);
        return {
          queryKey: ['last-prices', asOf, tickers],
          queryFn: ({ signal }: { signal: AbortSignal }) => readLast(tickers, asOf, signal),
        };
      }),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => new Map(queries.flatMap((prices) => prices ?? [])), [queries]);
};

const readLast = async (
  tickers: readonly string[],
  asOf: number | undefined,
  signal: AbortSignal,
): Promise<[string, LastPrice][]> => {
  const body = {
    tickers: [...tickers],
    at_ts: [asOf ?? Math.floor(Date.now() / 1_000)],
    fields: ['yes_best_bid' as const, 'yes_best_ask' as const],
  };
  const { snapshots } = await archiveAt(asOf).markets.at(body, { signal });
  const known = snapshots.filter(({ yes_best_bid, yes_best_ask }) => (yes_best_bid ?? yes_best_ask ?? null) !== null);
  const found = new Set(known.map(({ ticker }) => ticker));
  const hidden = tickers.filter((ticker) => !found.has(ticker));
  return [
    ...(await readHidden(hidden.slice(0, hiddenMax), asOf, signal)),
    ...known.map(({ ticker, yes_best_bid, yes_best_ask }): [string, LastPrice] => [
      ticker,
      { bid: yes_best_bid ?? null, ask: yes_best_ask ?? null },
    ]),
  ];
};

/** Markets of one request for candles. Those after them have no last price. */
const hiddenMax = 100;

/** The last prices of markets of which a gap hides the present: those of their last candle. */
const readHidden = async (
  tickers: readonly string[],
  as_of: number | undefined,
  signal: AbortSignal,
): Promise<[string, LastPrice][]> => {
  if (tickers.length === 0) return [];
  const { candles } = await archiveAt(as_of)
    .markets.candlesOf({ tickers: [...tickers], points: 10 }, { signal })
    .firstPage();
  return candles.flatMap(({ ticker, end_ts, yes_bid, yes_ask }): [string, LastPrice][] => {
    const [bid, ask] = [yes_bid.close, yes_ask.close];
    return ticker === undefined || (bid ?? ask) === null ? [] : [[ticker, { bid, ask, untilTs: end_ts }]];
  });
};
