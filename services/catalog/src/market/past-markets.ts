import { type ClickHouse, marketsAsOf } from '@almanac/clickhouse';
import type { MarketState } from '@almanac/contracts';
import { z } from 'zod';
import { isAfter, positionOf, type RankedRow } from '../tables/candidates.js';
import { allOf, type Condition } from '../tables/filters.js';
import { readRows } from '../tables/read-rows.js';
import { fullMarketRow, type Page } from './markets.js';

/** The archive as of a time. */
export interface PastArchive {
  readonly clickhouse: ClickHouse;
  readonly asOfUs: number;
  readonly signal: AbortSignal;
}

export interface Parent {
  readonly column: 'event_ticker' | 'series';
  readonly id: string;
}

/**
 * In place of `markets FINAL`: the markets that were listed by a time, or those of one series or event. Every row is computed, so
 * a read of all of them takes time in proportion to the table's size.
 */
export const pastTable = (asOfUs: number, parent?: Parent): Condition => {
  const params = { as_of_us: asOfUs };
  if (parent === undefined) return { sql: marketsAsOf('{as_of_us:Int64}'), params };
  const named = `${parent.column} = {parent:String}`;
  // The index finds rows that ever were of it.
  const where = `${named} AND ticker IN (SELECT ticker FROM markets WHERE ${named})`;
  return { sql: marketsAsOf('{as_of_us:Int64}', where), params: { ...params, parent: parent.id } };
};

/** A read of many rows may use a second thread, and stores what it sorts or groups on disk instead of in memory. */
export const pastSettings = {
  max_threads: 2,
  max_bytes_before_external_group_by: '268435456',
  max_bytes_before_external_sort: '268435456',
} as const;

const row = z.looseObject({ ticker: z.string(), close_key: z.int() });

/** The markets that were listed by then and match, as they were known: in listing order, without a page all of them. */
export const pastMarkets = async (
  { clickhouse, asOfUs, signal }: PastArchive,
  { condition = allOf(), parent, page }: { condition?: Condition; parent?: Parent | undefined; page?: Page },
): Promise<RankedRow<MarketState>[]> => {
  const table = pastTable(asOfUs, parent);
  const matching = allOf(condition, isAfter(page?.after));
  const limit = page === undefined ? '' : 'LIMIT {limit:UInt32} OFFSET {offset:UInt32}';
  const sql = `SELECT ticker, close_key, ${fullMarketRow.columns} FROM ${table.sql} AS past WHERE ${matching.sql}
    ORDER BY close_key DESC, ticker ${limit}`;
  const params = { ...table.params, ...matching.params, ...(page && { limit: page.limit, offset: page.offset ?? 0 }) };
  const found = await readRows(clickhouse, { sql, params, signal, settings: pastSettings }, row);
  return found.map((one) => ({ position: positionOf(one), row: fullMarketRow.row.parse(one) }));
};
