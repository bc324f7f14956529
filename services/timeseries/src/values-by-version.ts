import type { ReadCaller } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import type { MarketContext } from './market-context.js';

/** What the cache needs of a market. */
type VersionedMarket = Pick<MarketContext, 'state' | 'version'>;

export interface ValuesOptions<T> {
  readonly maxSize: number;
  readonly sizeOf: (value: T) => number;
  /** Reads the values of several markets by ticker. A market without a value gets `empty`. */
  readonly load: (tickers: readonly string[], caller: ReadCaller) => Promise<ReadonlyMap<string, T>>;
  readonly empty: T;
}

/** Reads a value of each market, in the order of the markets. */
export type ValuesByVersion<T> = (markets: readonly VersionedMarket[], caller: ReadCaller) => Promise<readonly T[]>;

/** Values that stay in memory until the data version of their market changes, so that a repeated read has no query. */
export const valuesByVersion = <T>({ maxSize, sizeOf, load, empty }: ValuesOptions<T>): ValuesByVersion<T> => {
  const cache = new LRUCache<string, { readonly version: number; readonly value: T }>({
    maxSize,
    sizeCalculation: ({ value }) => sizeOf(value),
  });
  const cached = ({ state, version }: VersionedMarket) => {
    const entry = cache.get(state.ticker);
    return entry?.version === version ? entry : undefined;
  };
  return async (markets, caller) => {
    const known = markets.map((market) => ({ market, entry: cached(market) }));
    const missing = known.flatMap(({ market, entry }) => (entry === undefined ? [market.state.ticker] : []));
    const loaded = missing.length === 0 ? new Map<string, T>() : await load(missing, caller);
    return known.map(({ market: { state, version }, entry }) => {
      if (entry !== undefined) return entry.value;
      const value = loaded.get(state.ticker) ?? empty;
      cache.set(state.ticker, { version, value });
      return value;
    });
  };
};
