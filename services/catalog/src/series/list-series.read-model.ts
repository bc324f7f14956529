import type { ClickHouse } from '@almanac/clickhouse';
import { type catalogRpc, secondsOf, type seriesResponse, type SeriesState } from '@almanac/contracts';
import { z } from 'zod';
import { ask, type Asking } from '../tables/ask.js';
import { closesIn, filtersOf, type Window } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { questionOf } from '../tables/question.js';
import type { FiguresNow } from './figures-now.js';
import { type CountedSeries, presentSeries, seriesThatFit } from './series-items.js';

type Asked = z.output<typeof catalogRpc.listSeries.input>;

/**
 * GET /series: live ones first, then newest close, then id, from memory. A time filter asks the archive for the series
 * of which a market closes then; an item's own figures are always of the whole series, the totals of what matches.
 */
export const listSeries = async (
  { clickhouse, states, now }: { clickhouse: ClickHouse; states: Iterable<SeriesState>; now: FiguresNow },
  asked: Asked,
  asking: Asking,
): Promise<z.output<typeof seriesResponse>> => {
  const filters = filtersOf(asked);
  const question = questionOf(asked.q);
  const fitting = filters && question !== undefined ? seriesThatFit(states, now, { filters, question }) : [];
  const matching = await matchingOf(clickhouse, { fitting, window: filters?.window }, asking);
  const { items, has_more } = pageOf(matching.series.slice(asked.offset), asked.limit);
  return {
    count: items.length,
    series: items.map(presentSeries),
    source: 'cache',
    saved_ts: secondsOf(now.countedUs),
    markets_n: matching.markets_n,
    series_n: matching.series.length,
    events_n: matching.events_n,
    has_more,
    next_offset: nextOffset(asked.offset, items.length, has_more),
  };
};

const inWindow = z.object({ series: z.string(), markets_n: z.int(), events_n: z.int() });

const matchingOf = async (
  clickhouse: ClickHouse,
  { fitting, window }: { fitting: readonly CountedSeries[]; window: Window | undefined },
  { signal }: Asking,
): Promise<{ series: readonly CountedSeries[]; markets_n: number; events_n: number }> => {
  if (window === undefined || fitting.length === 0) {
    const totals = fitting.map(({ figures, events_n }) => ({ markets_n: figures.markets_n, events_n }));
    return { series: fitting, ...sumOf(totals) };
  }
  const closes = closesIn(window);
  const sql = `SELECT series, count() AS markets_n, uniqExactIf(event_ticker, event_ticker != '') AS events_n
    FROM markets FINAL WHERE series != '' AND ${closes.sql} GROUP BY series`;
  const settings = { max_threads: 2 };
  const found = await ask(clickhouse, { sql, params: closes.params, signal, settings }, inWindow);
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
