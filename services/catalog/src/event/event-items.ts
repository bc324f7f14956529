import type { ClickHouse } from '@almanac/clickhouse';
import { type EventItem, secondsOf } from '@almanac/contracts';
import { z } from 'zod';
import { readableEventTitle } from '../words/readable-names.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import {
  allOf,
  anyOf,
  closesIn,
  type Condition,
  type Filters,
  type Status,
  statusOfMany,
  type Window,
} from '../tables/filters.js';
import { type SeriesMatches, seriesMatching } from '../tables/series-text.js';
import { byForms, byPrefixScan, type TermCondition } from '../tables/term-conditions.js';
import { byIdPrefix, byWords, type TextQuery } from '../tables/text-query.js';

const text = z.string().transform((value) => (value === '' ? null : value));

/** An event with the stored figures of its markets, without those that depend on the clock. */
export const eventRow = z.object({
  event_ticker: z.string(),
  title: text,
  series: text,
  category: text,
  markets_n: z.int(),
  known_n: z.int(),
  strikes_n: z.int(),
  close_key: z.int(),
  open_us: z.int().nullable(),
  newest_close_us: z.int().nullable(),
});
export type EventRow = z.output<typeof eventRow>;

/** Events without markets come last. */
const figures = `markets_n, known_n, strikes_n, if(markets_n = 0, -1, close_key) AS close_key, open_us,
  newest_close_us, oldest_close_us`;

/**
 * SQL for matching events with their figures. `matched` selects the ids of all candidates, so that figures of others
 * are not read. FINAL is affordable, because there are only some ten thousand events for millions of markets.
 */
export const eventsSql = ({ fits, matched }: { fits: string; matched?: string }): string => `
  SELECT event_ticker, title, series, category, words, ${figures}
  FROM (SELECT * FROM events FINAL WHERE ${fits}) AS e
  ANY LEFT JOIN (
    SELECT * EXCEPT series FROM event_figures FINAL WHERE ${matched ? `event_ticker IN (${matched})` : '1'}
  ) AS f USING (event_ticker)`;

/** Filters as a condition on `eventsSql`. A window matches if one of the event's markets closes in it. */
export const eventCondition = ({ status, category, window }: Filters, nowUs: number): Condition =>
  allOf(
    ...(status ? [{ sql: statusConditions[status], params: { now_us: nowUs } }] : []),
    ...(category ? [{ sql: 'category = {category:String}', params: { category } }] : []),
    ...(window ? [closesWithin(closesIn(window))] : []),
  );

const statusConditions: Readonly<Record<Status, string>> = {
  live: 'close_key > {now_us:Int64}',
  closed: '(markets_n > 0 AND close_key <= {now_us:Int64} AND known_n < markets_n)',
  finalized: '(markets_n > 0 AND close_key <= {now_us:Int64} AND known_n = markets_n)',
};

/**
 * The first and the last close decide for all events except those with the window between the two. For these the
 * markets are queried: possibly outdated rows preselect a few markets, and FINAL decides.
 */
const closesWithin = ({ sql, params }: Condition): Condition => ({
  sql: `(newest_close_us >= {from_us:Int64} AND oldest_close_us <= {to_us:Int64} AND (NOT ${spansWindow}
    OR event_ticker IN (SELECT event_ticker FROM markets FINAL WHERE ${sql} AND ticker IN (
      SELECT ticker FROM markets_by_close WHERE ${sql} AND event_ticker IN (
        SELECT event_ticker FROM event_figures WHERE ${spansWindow})))))`,
  params,
});

const spansWindow = '(newest_close_us > {to_us:Int64} AND oldest_close_us < {from_us:Int64})';

/** The events among these with a market that closes in the window. */
export const eventsWithMarketIn = async (
  clickhouse: ClickHouse,
  { window, ids }: { window: Window; ids: readonly string[] },
  { signal }: QueryContext,
): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const { sql: closes, params } = closesIn(window);
  const fits = `${closes} AND event_ticker IN {events:Array(String)}`;
  const sql = `SELECT DISTINCT event_ticker FROM markets FINAL
    WHERE ${fits} AND ticker IN (SELECT ticker FROM markets_by_close WHERE ${fits})`;
  const found = await readRows(
    clickhouse,
    { sql, params: { ...params, events: ids }, signal },
    eventRow.pick({ event_ticker: true }),
  );
  return new Set(found.map(({ event_ticker }) => event_ticker));
};

/** On `events`: the event matches the text query with any score, by its own words and those of its series. */
export const matchingEvents = (textQuery: TextQuery, series: SeriesMatches): Condition => {
  const exact = byWords(textQuery);
  const terms = textQuery.terms.map((term, index) =>
    orSeries(byPrefixScan, { series, level: 'prefixes' })(term, index),
  );
  return anyOf(byIdPrefix(textQuery, 'event_ticker'), ...(terms.length > 0 ? [allOf(...terms)] : exact ? [exact] : []));
};

/** On a table with the columns `words` and `series`: the row itself matches the term, or its series does. */
export const orSeries =
  (own: TermCondition, { series, level }: { series: SeriesMatches; level: 'forms' | 'prefixes' }): TermCondition =>
  (term, index) => {
    const ids = seriesMatching(series, level, index);
    if (ids.length === 0) return own(term, index);
    const name = `q_series_${level}_${index}`;
    return anyOf(own(term, index), { sql: `series IN {${name}:Array(String)}`, params: { [name]: ids } });
  };

/** With more events, they are selected by a subquery. The names are part of the request line, which is limited. */
export const namedEventsMax = 1_000;

/** The index is asked for each event, so the rows of more events are faster to find by their series. */
const indexedEventsMax = 50;

/** On `markets`: the market belongs to one of these events. `name` is that of the parameter. */
export const inEvents = (name: string, ids: readonly string[]): Condition => ({
  sql: `${ids.length > indexedEventsMax ? eventWithoutIndex : 'event_ticker'} IN {${name}:Array(String)}`,
  params: { [name]: ids },
});

/** An expression that has no index. */
const eventWithoutIndex = "concat(event_ticker, '')";

/** On `markets`: an event of the market matches the term, by its own words or those of its series. */
export const eventMatches =
  (level: 'forms' | 'prefixes', series: SeriesMatches): TermCondition =>
  (term, index) => {
    const own = level === 'forms' ? byForms : byPrefixScan;
    const { sql, params } = orSeries(own, { series, level })(term, index);
    return { sql: `${eventWithoutIndex} IN (SELECT event_ticker FROM events FINAL WHERE ${sql})`, params };
  };

const liveRow = z.object({ event_ticker: z.string(), live_n: z.int() });

/** Number of live markets by event. Events that are not live are not queried. */
export const liveMarketsOf = async (
  clickhouse: ClickHouse,
  events: readonly EventRow[],
  { nowUs, signal }: QueryContext,
): Promise<ReadonlyMap<string, number>> => {
  const ids = events.filter(({ close_key }) => close_key > nowUs).map(({ event_ticker }) => event_ticker);
  if (ids.length === 0) return new Map();
  const sql = `SELECT event_ticker, countIf(close_key > {now_us:Int64}) AS live_n FROM markets FINAL
    WHERE ticker IN (SELECT ticker FROM markets_by_close WHERE event_ticker IN {events:Array(String)})
      AND event_ticker IN {events:Array(String)} GROUP BY event_ticker`;
  const found = await readRows(clickhouse, { sql, params: { events: ids, now_us: nowUs }, signal }, liveRow);
  return new Map(found.map(({ event_ticker, live_n }) => [event_ticker, live_n]));
};

export const presentEvent = (row: EventRow, live_n: number, nowUs: number): EventItem => ({
  event_ticker: row.event_ticker,
  title: eventTitleOf(row).title,
  series: row.series,
  category: row.category,
  status: statusOfMany(row, nowUs),
  open_ts: secondsOf(row.open_us),
  close_ts: secondsOf(row.newest_close_us),
  markets_n: row.markets_n,
  live_n,
  closed_n: row.markets_n - live_n,
});

/** The title of a source, otherwise one made from series and close. */
export const eventTitleOf = ({
  title,
  series,
  newest_close_us: closeUs,
}: Pick<EventRow, 'title' | 'series' | 'newest_close_us'>): { title: string | null; isDerived: boolean } =>
  title === null ? { title: readableEventTitle(series, closeUs), isDerived: true } : { title, isDerived: false };
