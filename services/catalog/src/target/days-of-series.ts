import { isValidId, subjects } from '@almanac/bus';
import { lastOpenTime, marketsAsOf, rowsInWindow, rowsKnown, rowTimes } from '@almanac/clickhouse';
import {
  dayStartUs,
  dayUs,
  DomainError,
  type ExportStream,
  missingRowsOf,
  notFound,
  type RowTable,
  seriesState,
  tablesOf,
  utcDayOf,
} from '@almanac/contracts';
import { z } from 'zod';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import type { Target, TargetSources } from './export-target.query.js';

/** Outdated rows may match too. FINAL decides among these few. */
const candidates = 'SELECT ticker FROM markets_by_close WHERE series = {series:String}';

interface Tables {
  readonly markets: string;
  /** A further condition on the rows of a table. */
  readonly known: (table: RowTable) => string;
}

/** A trade is stored in several rows until they merge, and its time follows from all of them. */
const read = (table: RowTable): string => (table === 'trades' ? 'trades FINAL' : table);

/** The markets of a series with a row or their last open day in a range, and the days of their rows, numbered from the first. */
const marketsSql = ({ markets, known }: Tables, tables: readonly RowTable[]): string => {
  const times = tables.map(
    (table) =>
      `SELECT ticker, ${rowTimes[table].day} AS at FROM ${read(table)} WHERE ${rowsInWindow(candidates, table)}${known(table)}`,
  );
  const dayOf = (us: string): string => `intDiv(${us} - {from_us:Int64}, ${dayUs})`;
  const rowDays = `SELECT ticker, groupUniqArray(toUInt16(${dayOf('toUnixTimestamp64Micro(at)')})) AS row_days
  FROM (${times.join(' UNION ALL ')}) GROUP BY ticker`;
  return `SELECT ticker, event_ticker, if(last_us >= {from_us:Int64} AND last_us < {to_us:Int64}, ${dayOf('last_us')}, NULL) AS last_day,
  ${tables.length === 0 ? 'emptyArrayUInt16()' : 'row_days'} AS row_days
FROM (SELECT ticker, event_ticker, ${lastOpenTime} AS last_us FROM ${markets}) AS listed
${tables.length === 0 ? '' : `LEFT JOIN (${rowDays}) AS observed USING (ticker)`}
WHERE notEmpty(row_days) OR isNotNull(last_day) ORDER BY ticker`;
};

/** Those of some markets that have a row at any time. */
const observedSql = ({ known }: Tables, tables: readonly RowTable[]): string =>
  tables
    .map((table) => `SELECT DISTINCT ticker FROM ${read(table)} WHERE ticker IN {tickers:Array(String)}${known(table)}`)
    .join(' UNION ALL ');

const ofSeries = `ticker IN (${candidates}) AND series = {series:String}`;
const present: Tables = { markets: `markets FINAL WHERE ${ofSeries}`, known: () => '' };
const past: Tables = {
  markets: `${marketsAsOf('{as_of_us:Int64}', ofSeries)} AS past`,
  known: (table) => ` AND ${rowsKnown(table)}`,
};

/** As of a time, a series exists from its first market on. */
const requireSeries = async (
  { store, clickhouse, asOfUs }: TargetSources,
  series: string,
  signal: AbortSignal,
): Promise<void> => {
  if (!isValidId(series)) throw notFound('series_not_found', series);
  const sql = `SELECT ticker FROM ${past.markets} LIMIT 1`;
  const isKnown =
    asOfUs === null
      ? (await store.load(subjects.series(series), seriesState)) !== undefined
      : (await readRows(clickhouse, { sql, params: { series, as_of_us: asOfUs }, signal }, namedMarket)).length > 0;
  if (!isKnown) throw notFound('series_not_found', series);
};

const namedMarket = z.object({ ticker: z.string() });

const marketOfRange = z.object({
  ticker: z.string(),
  event_ticker: z.string(),
  last_day: z.coerce.number().nullable(),
  row_days: z.array(z.int()),
});
type MarketOfRange = z.output<typeof marketOfRange>;

interface Range {
  readonly series: string;
  readonly from: string;
  readonly to: string;
  readonly streams: readonly ExportStream[];
}

/** The markets and events with rows in a range of days, in total and by day. */
export const daysOfSeries = async (
  sources: TargetSources,
  range: Range,
  queryContext: QueryContext,
): Promise<Pick<Target, 'series' | 'events' | 'tickers' | 'parts'>> => {
  const { series, from, streams } = range;
  await requireSeries(sources, series, queryContext.signal);
  const found = await marketsOf(sources, range, queryContext);
  const started = Math.floor(((sources.asOfUs ?? queryContext.nowUs) - dayStartUs(from)) / dayUs);
  const parts = Array.from({ length: daysIn(range) }, (_, day) => {
    const markets = marketsOn(day, found, { isData: tablesOf(streams).length === 0 && day <= started });
    const has_rows = markets.length > 0;
    return { day: utcDayOf(dayStartUs(from) + day * dayUs), event: null, ...eventsAndTickers(markets), has_rows };
  });
  if (!parts.some(({ has_rows }) => has_rows)) throw noData(range, await hasCandles(sources, range, queryContext));
  const inRange = new Set(parts.flatMap(({ tickers }) => tickers));
  return { series, ...eventsAndTickers(found.filter(({ ticker }) => inRange.has(ticker))), parts };
};

const daysIn = ({ from, to }: Range): number => Math.round((dayStartUs(to) - dayStartUs(from)) / dayUs) + 1;

/**
 * The markets of a day: those with rows of it, and those without any row that were open last on it. These do not make
 * the day one with data: without rows it has no market. `isData`: they do, because no rows were requested.
 */
const marketsOn = (day: number, found: readonly MarketOfRange[], { isData }: { isData: boolean }): MarketOfRange[] => {
  const hasData = isData || found.some(({ row_days }) => row_days.includes(day));
  return hasData ? found.filter(({ row_days, last_day }) => row_days.includes(day) || last_day === day) : [];
};

const tablesAt = (asOfUs: number | null): Tables => (asOfUs === null ? present : past);

const paramsOf = (range: Range, asOfUs: number | null) => {
  const from_us = dayStartUs(range.from);
  return { series: range.series, from_us, to_us: from_us + daysIn(range) * dayUs, as_of_us: asOfUs ?? 0 };
};

/** The markets with a row in the range, without a last day, and those without any row, with it. */
const marketsOf = async (
  { clickhouse, asOfUs }: TargetSources,
  range: Range,
  { signal }: QueryContext,
): Promise<MarketOfRange[]> => {
  const [tables, rowTables] = [tablesAt(asOfUs), tablesOf(range.streams)];
  const params = paramsOf(range, asOfUs);
  const sql = marketsSql(tables, rowTables);
  const found = await readRows(clickhouse, { sql, params, signal }, marketOfRange);
  const tickers = found.filter(({ row_days }) => row_days.length === 0).map(({ ticker }) => ticker);
  const query = { sql: observedSql(tables, rowTables), params: { ...params, tickers }, signal };
  const observed = rowTables.length === 0 || tickers.length === 0 ? [] : await readRows(clickhouse, query, namedMarket);
  const elsewhere = new Set(observed.map(({ ticker }) => ticker));
  return found
    .filter(({ ticker }) => !elsewhere.has(ticker))
    .map((market) => (market.row_days.length > 0 ? { ...market, last_day: null } : market));
};

/** Whether a range without rows of the requested streams has venue candles. */
const hasCandles = async (
  { clickhouse, asOfUs }: TargetSources,
  range: Range,
  { signal }: QueryContext,
): Promise<boolean> => {
  if (range.streams.includes('candles')) return false;
  const { markets, known } = tablesAt(asOfUs);
  const own = rowsInWindow(`SELECT ticker FROM ${markets}`, 'venue_candles');
  const sql = `SELECT ticker FROM venue_candles WHERE ${own}${known('venue_candles')} LIMIT 1`;
  return (await readRows(clickhouse, { sql, params: paramsOf(range, asOfUs), signal }, namedMarket)).length > 0;
};

const eventsAndTickers = (markets: readonly MarketOfRange[]) => ({
  events: [...new Set(markets.map(({ event_ticker }) => event_ticker).filter((event) => event !== ''))],
  tickers: markets.map(({ ticker }) => ticker),
});

const noData = ({ series, from, to, streams }: Range, isInCandles: boolean): DomainError => {
  const [when, remedy] = from === to ? [`on ${from}`, 'another day'] : [`from ${from} to ${to}`, 'other days'];
  const none = `The archive has no ${missingRowsOf(streams)} of ${series} ${when} (UTC)`;
  return new DomainError(
    'no_data_for_day',
    isInCandles
      ? `${none}, but candles of its venue. Add "candles" to streams, or choose ${remedy}.`
      : `${none}. Choose ${remedy}.`,
  );
};
