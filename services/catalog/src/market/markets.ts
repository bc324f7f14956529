import type { ClickHouse } from '@almanac/clickhouse';
import { subjects } from '@almanac/bus';
import {
  type Market,
  marketState,
  type MarketState,
  presentMarket,
  type SeriesState,
  statusOf,
} from '@almanac/contracts';
import { ask } from '../tables/ask.js';
import { marketColumns, marketsNow } from '../tables/now.js';

/** What every question to the catalogue reads from. */
export interface CatalogueSources {
  readonly clickhouse: ClickHouse;
  /** Current states of the series by subject; a market's shape is its series'. */
  readonly series: ReadonlyMap<string, SeriesState>;
}

/** One question: when it is asked, and when the asker leaves. */
export interface Asking {
  readonly nowUs: number;
  readonly signal: AbortSignal;
}

export interface MarketSelection {
  readonly where: readonly string[];
  /** Of columns that `marketColumns` leaves as they are. */
  readonly orderBy: string;
  readonly limit: number;
  readonly offset?: number;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Markets as stored, up to `limit`. */
export const selectMarkets = (
  { clickhouse }: CatalogueSources,
  { where, orderBy, limit, offset = 0, params }: MarketSelection,
  { nowUs, signal }: Asking,
): Promise<MarketState[]> => {
  const chosen = `SELECT * FROM ${marketsNow} WHERE ${where.join(' AND ')}
    ORDER BY ${orderBy} LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const sql = `SELECT ${marketColumns} FROM (${chosen}) ORDER BY ${orderBy}`;
  return ask(clickhouse, { sql, params: { ...params, now_us: nowUs, limit, offset }, signal }, marketState);
};

export const present = ({ series }: CatalogueSources, state: MarketState, nowUs: number): Market =>
  presentMarket(state, shapeOf(series, state), nowUs);

export const shapeOf = (series: ReadonlyMap<string, SeriesState>, state: MarketState): string | null =>
  state.series === null ? null : (series.get(subjects.series(state.series))?.shape ?? null);

/** What `close_key` of the tables is, for a cursor. */
export const closeKeyOf = (state: MarketState): number =>
  state.close_us ?? (statusOf(state, 0) === 'live' ? Number.MAX_SAFE_INTEGER : -1);
