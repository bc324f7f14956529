import { marketAsOf, type MarketState, type ReadTime } from '@almanac/contracts';
import { z } from 'zod';
import type { Position } from '../tables/position.js';
import { type QueryContext, readRows } from '../tables/read-rows.js';
import type { CatalogueSources } from './markets.js';
import type { MarketStates } from './states/market-states.js';

export interface PastSources extends Pick<CatalogueSources, 'clickhouse' | 'series'> {
  readonly markets: Pick<MarketStates, 'get'>;
}

export interface Parent {
  readonly column: 'event_ticker' | 'series';
  readonly id: string;
}

/** After so many states, waiting requests run first. */
const breath = 500;

const namedMarket = z.object({ ticker: z.string() });

/**
 * The markets of an event or a series that were listed at a time, as they were known then. The tables only propose: a market may
 * have had another parent. The states decide. Their number has no limit, because it would show how many were listed later.
 */
export const pastStatesOf = async (
  { clickhouse, markets }: PastSources,
  { column, id }: Parent,
  { time, queryContext: { signal } }: { readonly time: ReadTime; readonly queryContext: QueryContext },
): Promise<MarketState[]> => {
  const sql = `SELECT DISTINCT ticker FROM markets WHERE ${column} = {id:String}`;
  const named = await readRows(clickhouse, { sql, params: { id }, signal }, namedMarket);
  const states: MarketState[] = [];
  for (const [index, { ticker }] of named.entries()) {
    if (index % breath === breath - 1) await new Promise(setImmediate);
    signal.throwIfAborted();
    const stored = await markets.get(ticker);
    const state = stored === undefined ? undefined : marketAsOf(stored.state, time.asOfUs ?? time.nowUs);
    if (state?.[column] === id) states.push(state);
  }
  return states;
};

/** As the column `close_key`: an unknown close comes first while the venue says that the market is open. */
export const closeKeyOf = ({ close_us: closeUs, venue_status: status }: MarketState): number =>
  closeUs ?? (status === 'open' || status === 'active' ? Number.MAX_SAFE_INTEGER : -1);

export const positionOfState = (state: MarketState): Position => ({ key: closeKeyOf(state), id: state.ticker });
