import type { ReadCaller } from '@almanac/runtime';
import type { ReadTime } from '@almanac/contracts';
import { loadMarketContext, type MarketContext, type StateCaches } from '../market-context.js';
import type { WithLastRows } from './last-rows.js';

export interface MarketDeps {
  readonly states: StateCaches;
  readonly withLastRows: WithLastRows;
}

/** Several markets at one time, in the order of their tickers. Throws `market_not_found`. */
export const loadMarkets = async (
  { states, withLastRows }: MarketDeps,
  { tickers, time }: { readonly tickers: readonly string[]; readonly time: ReadTime },
  caller: ReadCaller,
): Promise<readonly MarketContext[]> =>
  withLastRows(await Promise.all(tickers.map((ticker) => loadMarketContext(states, ticker, time))), caller);

/** One market. Throws `market_not_found`. */
export const loadMarket = async (
  deps: MarketDeps,
  { ticker, time }: { readonly ticker: string; readonly time: ReadTime },
  caller: ReadCaller,
): Promise<MarketContext> => {
  const [market] = await deps.withLastRows([await loadMarketContext(deps.states, ticker, time)], caller);
  if (market === undefined) throw new Error('one market has one context');
  return market;
};
