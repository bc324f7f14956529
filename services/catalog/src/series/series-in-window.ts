import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { closesIn, type Condition, type Window } from '../tables/filters.js';

/** A query passes at most this many names. With more, it reads all series. */
const namesMax = 200;

const sampleRow = z.object({ ticker: z.string(), series: z.string(), seq: z.int(), fits: z.literal([0, 1]) });
const seriesRow = z.object({ series: z.string() });

/**
 * Which of these series have a market that closes in the window. One market per series is the witness: the first with
 * a matching row, which is nearly always still valid. The market with the newest matching row took a third longer to
 * find. If a witness' row was outdated, FINAL decides about the series.
 */
export const seriesWithMarketIn = async (
  clickhouse: ClickHouse,
  { window, ids }: { window: Window; ids: readonly string[] },
  { signal }: QueryContext,
): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const fits = conditionOf(window, ids);
  const sql = `SELECT ticker, series, seq, toUInt8(${fits.sql}) AS fits FROM markets
    WHERE ticker IN (SELECT any(ticker) FROM markets WHERE ${fits.sql} GROUP BY series)`;
  const rows = await readRows(clickhouse, { sql, params: fits.params, signal }, sampleRow);
  const newest = new Map<string, number>();
  for (const { ticker, seq } of rows) newest.set(ticker, Math.max(seq, newest.get(ticker) ?? 0));
  const fitting = rows.filter((row) => row.fits === 1);
  const found = new Set(fitting.filter(({ ticker, seq }) => newest.get(ticker) === seq).map(({ series }) => series));
  const undecided = [...new Set(fitting.map(({ series }) => series))].filter((id) => !found.has(id));
  if (undecided.length === 0) return found;
  const rest = conditionOf(window, undecided);
  const decided = `SELECT DISTINCT series FROM markets FINAL WHERE ${rest.sql}`;
  for (const { series } of await readRows(clickhouse, { sql: decided, params: rest.params, signal }, seriesRow))
    found.add(series);
  return found;
};

const conditionOf = (window: Window, ids: readonly string[]): Condition => {
  const { sql, params } = closesIn(window);
  if (ids.length > namesMax) return { sql: `(series != '' AND ${sql})`, params };
  return { sql: `(series IN {series_ids:Array(String)} AND ${sql})`, params: { ...params, series_ids: ids } };
};
