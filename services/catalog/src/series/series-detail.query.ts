import { isValidId, subjects } from '@almanac/bus';
import { type catalogRpc, type EventItem, notFound, type seriesDetailResponse, sourceOfText } from '@almanac/contracts';
import type { z } from 'zod';
import {
  eventCondition,
  eventRow,
  eventsSql,
  matchingEvents,
  liveMarketsOf,
  presentEvent,
} from '../event/event-items.js';
import { matchingMarkets } from '../market/matching-markets.js';
import { type CatalogueSources, present, selectMarkets } from '../market/markets.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { allOf, type Condition, type Filters, filtersOf, marketCondition } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { type TextQuery, parseTextQuery } from '../tables/text-query.js';
import { matchSeries } from '../tables/series-text.js';
import type { FiguresNow } from './compute-figures.js';
import { countedSeries, presentSeries } from './series-items.js';

export type SeriesDetailInput = z.output<typeof catalogRpc.seriesDetail.input>;
export type SeriesDetail = Omit<z.output<typeof seriesDetailResponse>, 'source'>;

/**
 * GET /series/{id}: the series with the figures of all its markets, its matching markets by newest close, and, unless
 * it is rolling, its matching events in the same order. Throws `series_not_found`.
 */
export const seriesDetail = async (
  { now, ...sources }: CatalogueSources & { now: FiguresNow },
  input: SeriesDetailInput,
  queryContext: QueryContext,
): Promise<SeriesDetail> => {
  const { series_id, limit, offset, event_offset } = input;
  const state = isValidId(series_id) ? sources.series.states.get(subjects.series(series_id)) : undefined;
  if (state === undefined) throw notFound('series_not_found', series_id);
  const filters = filtersOf(input);
  const textQuery = parseTextQuery(input.q, sources.vocabulary);
  const listing = filters && textQuery !== undefined ? { input, filters, textQuery } : undefined;
  const [markets, events] = await Promise.all([
    listing ? marketsOf(sources, listing, queryContext) : [],
    state.shape === 'rolling' ? undefined : listing ? eventsOf(sources, listing, queryContext) : [],
  ]);
  const { items, has_more } = pageOf(markets, limit);
  const eventPage = events && pageOf(events, limit);
  return {
    series: presentSeries(countedSeries(state, now)),
    label_source: sourceOfText(state.label, state.derived_label),
    count: items.length,
    markets: items.map(({ row }) => present(sources, row, queryContext.nowUs)),
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    ...(eventPage && {
      events: [...eventPage.items],
      events_has_more: eventPage.has_more,
      next_event_offset: nextOffset(event_offset, eventPage.items.length, eventPage.has_more),
    }),
  };
};

interface Listing {
  readonly input: SeriesDetailInput;
  readonly filters: Filters;
  readonly textQuery: TextQuery | null;
}

const ofSeries = ({ series_id }: SeriesDetailInput): Condition => ({
  sql: 'series = {series_id:String}',
  params: { series_id },
});

const marketsOf = async (
  sources: CatalogueSources,
  { input, filters, textQuery }: Listing,
  queryContext: QueryContext,
) => {
  const matching = await matchingMarkets(sources, textQuery, queryContext);
  const condition = allOf(ofSeries(input), marketCondition(filters, queryContext.nowUs), matching);
  return selectMarkets(sources, condition, { page: { limit: input.limit + 1, offset: input.offset }, queryContext });
};

const eventsOf = async (
  { clickhouse, series }: CatalogueSources,
  { input, filters, textQuery }: Listing,
  queryContext: QueryContext,
): Promise<EventItem[]> => {
  const ofThisSeries = ofSeries(input);
  const condition = allOf(
    eventCondition(filters, queryContext.nowUs),
    ...(textQuery ? [matchingEvents(textQuery, matchSeries(series.text, textQuery))] : []),
  );
  const matched = `SELECT event_ticker FROM events WHERE ${ofThisSeries.sql}`;
  const sql = `SELECT * EXCEPT words FROM (${eventsSql({ matched, fits: ofThisSeries.sql })}) WHERE ${condition.sql}
    ORDER BY close_key DESC, event_ticker LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const page = { limit: input.limit + 1, offset: input.event_offset };
  const params = { ...ofThisSeries.params, ...condition.params, ...page };
  const found = await readRows(clickhouse, { sql, params, signal: queryContext.signal }, eventRow);
  const live = await liveMarketsOf(clickhouse, found, queryContext);
  return found.map((row) => presentEvent(row, live.get(row.event_ticker) ?? 0, queryContext.nowUs));
};
