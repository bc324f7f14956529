import type { ClickHouse } from '@almanac/clickhouse';
import { type catalogRpc, secondsOf, type seriesResponse, type SeriesState } from '@almanac/contracts';
import { z } from 'zod';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { closesIn, type Condition, filtersOf, type Window } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { parseTextQuery, type TextQuery } from '../tables/text-query.js';
import type { CatalogueSources } from '../market/markets.js';
import { matchSeries, scoredSeries } from '../tables/series-text.js';
import type { FiguresNow } from './compute-figures.js';
import { type CountedSeries, presentSeries, seriesThatFit } from './series-items.js';

type ListSeriesSources = Pick<CatalogueSources, 'clickhouse' | 'series' | 'vocabulary'> & {
  readonly now: FiguresNow;
  /** In place of `markets`, for a read as of a time. */
  readonly table?: Condition;
};
type ListSeriesInput = z.output<typeof catalogRpc.listSeries.input>;

/**
 * GET /series: live ones first, then newest close, then id, from memory. A time filter queries the archive for series
 * with a market that closes in that time. An item's figures always cover all of its markets; the totals cover the
 * matches.
 */
export const listSeries = async (
  { clickhouse, series, vocabulary, now, table }: ListSeriesSources,
  input: ListSeriesInput,
  queryContext: QueryContext,
): Promise<z.output<typeof seriesResponse>> => {
  const filters = filtersOf(input);
  const textQuery = parseTextQuery(input.q, vocabulary);
  const states = textQuery === undefined ? [] : statesThatMatch(series, textQuery);
  const fitting = filters ? seriesThatFit(states, now, { filters }) : [];
  const matching = await matchingOf(clickhouse, { fitting, window: filters?.window, table }, queryContext);
  const { items, has_more } = pageOf(matching.series.slice(input.offset), input.limit);
  return {
    count: items.length,
    series: items.map(presentSeries),
    source: 'cache',
    saved_ts: secondsOf(now.countedUs),
    markets_n: matching.markets_n,
    series_n: matching.series.length,
    events_n: matching.events_n,
    has_more,
    next_offset: nextOffset(input.offset, items.length, has_more),
  };
};

const statesThatMatch = ({ states, text }: CatalogueSources['series'], textQuery: TextQuery | null): SeriesState[] =>
  textQuery === null
    ? [...states.values()]
    : scoredSeries(matchSeries(text, textQuery), textQuery).map(({ state }) => state);

const inWindow = z.object({ series: z.string(), markets_n: z.int(), events_n: z.int() });

interface Windowed {
  readonly fitting: readonly CountedSeries[];
  readonly window: Window | undefined;
  readonly table: Condition | undefined;
}

const matchingOf = async (
  clickhouse: ClickHouse,
  { fitting, window, table }: Windowed,
  { signal }: QueryContext,
): Promise<{ series: readonly CountedSeries[]; markets_n: number; events_n: number }> => {
  if (window === undefined || fitting.length === 0) {
    const totals = fitting.map(({ figures, events_n }) => ({ markets_n: figures.markets_n, events_n }));
    return { series: fitting, ...sumOf(totals) };
  }
  const closes = closesIn(window);
  const sql = `SELECT series, count() AS markets_n, uniqExactIf(event_ticker, event_ticker != '') AS events_n
    FROM ${table === undefined ? 'markets FINAL' : `${table.sql} AS past`} WHERE series != '' AND ${closes.sql} GROUP BY series`;
  const settings = { max_threads: 2 };
  const found = await readRows(
    clickhouse,
    { sql, params: { ...closes.params, ...table?.params }, signal, settings },
    inWindow,
  );
  const bySeries = new Map(found.map((row) => [row.series, row]));
  const series = fitting.filter(({ state }) => bySeries.has(state.id));
  return { series, ...sumOf(series.flatMap(({ state }) => bySeries.get(state.id) ?? [])) };
};

const sumOf = (
  totals: readonly { markets_n: number; events_n: number }[],
): { markets_n: number; events_n: number } => ({
  markets_n: totals.reduce((sum, { markets_n }) => sum + markets_n, 0),
  events_n: totals.reduce((sum, { events_n }) => sum + events_n, 0),
});
