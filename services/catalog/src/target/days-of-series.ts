import { isValidId, subjects } from '@almanac/bus';
import { marketsAsOf, rowsInWindow, wasOpen } from '@almanac/clickhouse';
import { dayStartUs, DomainError, notFound, seriesState, utcDayOf } from '@almanac/contracts';
import { z } from 'zod';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import type { Target, TargetSources } from './export-target.query.js';

const dayUs = 86_400_000_000;

/** Outdated rows may match too. FINAL decides among these few. */
const candidates = 'SELECT ticker FROM markets WHERE series = {series:String}';
const dayStart = (day: string): string => `({from_us:Int64} + ${day} * ${dayUs})`;

/** The markets of a series that were open or have rows in a range, each with those days, numbered from the first. */
const marketsSql = ({
  table,
  received,
}: {
  table: string;
  received: string;
}): string => `SELECT ticker, event_ticker, open_days, row_days
FROM (
  SELECT ticker, event_ticker,
    arrayFilter(day -> ${wasOpen(dayStart('day'), dayStart('(day + 1)'))}, range({days:UInt16})) AS open_days
  FROM ${table}) AS listed
LEFT JOIN (
  SELECT ticker, groupUniqArray(toUInt16(intDiv(toUnixTimestamp64Micro(ts) - {from_us:Int64}, ${dayUs}))) AS row_days
  FROM snapshots WHERE ${rowsInWindow(candidates)}${received} GROUP BY ticker) AS observed USING (ticker)
WHERE notEmpty(open_days) OR notEmpty(row_days) ORDER BY ticker`;

const ofSeries = `ticker IN (${candidates}) AND series = {series:String}`;
const present = { table: `markets FINAL WHERE ${ofSeries}`, received: '' };
const past = {
  table: `${marketsAsOf('{as_of_us:Int64}', ofSeries)} AS past`,
  received: " AND ts <= fromUnixTimestamp64Micro({as_of_us:Int64}, 'UTC')",
};

/** As of a time, a series exists from its first market on. */
const requireSeries = async (
  { store, clickhouse, asOfUs }: TargetSources,
  series: string,
  signal: AbortSignal,
): Promise<void> => {
  if (!isValidId(series)) throw notFound('series_not_found', series);
  const sql = `SELECT ticker FROM ${past.table} LIMIT 1`;
  const isKnown =
    asOfUs === null
      ? (await store.load(subjects.series(series), seriesState)) !== undefined
      : (await readRows(clickhouse, { sql, params: { series, as_of_us: asOfUs }, signal }, namedMarket)).length > 0;
  if (!isKnown) throw notFound('series_not_found', series);
};

const namedMarket = z.object({ ticker: z.string() });

const days = z.array(z.int());
const marketOfRange = z.object({ ticker: z.string(), event_ticker: z.string(), open_days: days, row_days: days });

/** The markets and events of a range of days, in total and by day. */
export const daysOfSeries = async (
  sources: TargetSources,
  { series, from, to }: { series: string; from: string; to: string },
  { signal }: QueryContext,
): Promise<Pick<Target, 'series' | 'events' | 'tickers' | 'parts'>> => {
  const fromUs = dayStartUs(from);
  const count = Math.round((dayStartUs(to) - fromUs) / dayUs) + 1;
  const { clickhouse, asOfUs } = sources;
  await requireSeries(sources, series, signal);
  const params = { series, from_us: fromUs, to_us: fromUs + count * dayUs, days: count, as_of_us: asOfUs ?? 0 };
  const sql = marketsSql(asOfUs === null ? present : past);
  const found = await readRows(clickhouse, { sql, params, signal }, marketOfRange);
  if (!found.some(({ row_days }) => row_days.length > 0)) throw noData(series, from, to);
  const parts = Array.from({ length: count }, (_, day) => {
    const markets = found.filter(({ open_days, row_days }) => open_days.includes(day) || row_days.includes(day));
    return {
      day: utcDayOf(fromUs + day * dayUs),
      event: null,
      ...eventsAndTickers(markets),
      has_rows: found.some(({ row_days }) => row_days.includes(day)),
    };
  });
  return { series, ...eventsAndTickers(found), parts };
};

const eventsAndTickers = (markets: readonly z.output<typeof marketOfRange>[]) => ({
  events: [...new Set(markets.map(({ event_ticker }) => event_ticker).filter((event) => event !== ''))],
  tickers: markets.map(({ ticker }) => ticker),
});

const noData = (series: string, from: string, to: string): DomainError => {
  const [when, remedy] = from === to ? [`on ${from}`, 'another day'] : [`from ${from} to ${to}`, 'other days'];
  return new DomainError(
    'no_data_for_day',
    `The archive has no observations of ${series} ${when} (UTC). Choose ${remedy}.`,
  );
};
