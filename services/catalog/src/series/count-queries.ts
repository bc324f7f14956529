import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { pastSettings } from '../market/past-markets.js';
import type { Condition } from '../tables/filters.js';
import { readRows } from '../tables/read-rows.js';

const micros = z.int().nullable();

/** Figures of the markets of one series in one category. An empty text means none. */
const marketFigures = z.object({
  series: z.string(),
  category: z.string(),
  category_label: z.string(),
  markets_n: z.int(),
  known_n: z.int(),
  live_n: z.int(),
  sample_title: z.string(),
  sample_key: z.int(),
  next_close_us: micros,
  last_close_us: micros,
  min_open_us: micros,
  newest_close_us: micros,
  oldest_close_us: micros,
  newest_key: z.int(),
});
export type MarketFigures = z.output<typeof marketFigures>;

const eventCounts = z.object({ series: z.string(), category: z.string(), events_n: z.int() });
export type EventCounts = z.output<typeof eventCounts>;

/** With more series, all are counted: names are part of the request line, and the time is about the same. */
export const seriesCountedMax = 200;
/** Two million markets take 0.2 s. */
const countingMs = 20_000;

const sampleTitle = "argMaxIf(title, close_key, title != '')";
/** An answer as of a time does not depend on the order of rows. To compare tuples takes longer. */
const sampleTitleThen = "argMinIf(title, (-close_key, ticker), title != '')";

/** Figures by series, of all series or of the given ones. */
export const countMarkets = async (
  clickhouse: ClickHouse,
  { series, nowUs, asOf }: { series: readonly string[] | undefined; nowUs: number; asOf?: Condition | undefined },
): Promise<ReadonlyMap<string, readonly MarketFigures[]>> => {
  const sql = `SELECT series, category, max(category_label) AS category_label, count() AS markets_n,
      countIf(known) AS known_n, countIf(close_key > {now_us:Int64}) AS live_n,
      ${asOf === undefined ? sampleTitle : sampleTitleThen} AS sample_title, maxIf(close_key, title != '') AS sample_key,
      minIf(close_us, close_key > {now_us:Int64}) AS next_close_us,
      maxIf(close_us, close_key <= {now_us:Int64}) AS last_close_us,
      min(open_us) AS min_open_us, max(close_us) AS newest_close_us, min(close_us) AS oldest_close_us, max(close_key) AS newest_key
    FROM ${asOf === undefined ? 'markets FINAL' : `${asOf.sql} AS past`} ${series ? 'WHERE series IN {series:Array(String)}' : ''} GROUP BY series, category`;
  const signal = AbortSignal.timeout(countingMs);
  const settings = series ? {} : { max_threads: 2 };
  const params = { now_us: nowUs, ...(series && { series }), ...asOf?.params };
  const found = await readRows(clickhouse, { sql, params, signal, settings }, marketFigures);
  return Map.groupBy(found, (row) => row.series);
};

/** Counts all events, because they are few compared with markets. */
export const countEvents = (clickhouse: ClickHouse): Promise<EventCounts[]> => {
  const sql = 'SELECT series, category, count() AS events_n FROM events FINAL GROUP BY series, category';
  return readRows(clickhouse, { sql, signal: AbortSignal.timeout(countingMs) }, eventCounts);
};

/** The events of the markets that were listed by a time. */
export const countPastEvents = (
  clickhouse: ClickHouse,
  asOf: Condition,
  signal: AbortSignal,
): Promise<EventCounts[]> => {
  const sql = `SELECT series, category, uniqExact(event_ticker) AS events_n FROM ${asOf.sql} AS past
    WHERE event_ticker != '' GROUP BY series, category`;
  return readRows(clickhouse, { sql, params: asOf.params, signal, settings: pastSettings }, eventCounts);
};
