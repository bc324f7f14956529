import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { archiveAt } from '../api/client.js';

export interface LastPrice {
  readonly bid: number | null;
  readonly ask: number | null;
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
  return snapshots.map(({ ticker, yes_best_bid, yes_best_ask }) => [
    ticker,
    { bid: yes_best_bid ?? null, ask: yes_best_ask ?? null },
  ]);
};
