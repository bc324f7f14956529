import { isNameable } from '@almanac/bus';
import {
  type catalogRpc,
  type EventItem,
  noSuch,
  type SeriesItem,
  type seriesDetailResponse,
} from '@almanac/contracts';
import type { z } from 'zod';
import { eventColumns, eventRowNow, presentEvent } from '../event/event-items.js';
import { type Asking, type CatalogueSources, present, selectMarkets } from '../market/markets.js';
import { ask } from '../tables/ask.js';
import { type Filters, filtersOf } from '../tables/filters.js';
import { eventsNow, seriesNow } from '../tables/now.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { presentSeries, seriesColumns, seriesRowNow } from './series-items.js';

type Question = z.output<typeof catalogRpc.seriesDetail.input>;

/**
 * GET /series/{id}: the series with its whole figures, its markets that match, newest close first, and, when it is not
 * rolling, its events that match in the same order. Throws `series_not_found`.
 */
export const seriesDetail = async (
  sources: CatalogueSources,
  question: Question,
  asking: Asking,
): Promise<z.output<typeof seriesDetailResponse>> => {
  const { limit, offset, event_offset } = question;
  const series = isNameable(question.series_id) ? await oneSeries(sources, question.series_id, asking) : undefined;
  if (series === undefined) throw noSuch('series_not_found', question.series_id);
  const filters = filtersOf(question, asking.nowUs);
  const [markets, events] = await Promise.all([
    marketsOf(sources, { question, filters }, asking),
    series.shape === 'rolling' ? undefined : eventsOf(sources, { question, filters }, asking),
  ]);
  const { items, has_more } = pageOf(markets, limit);
  const eventPage = events && pageOf(events, limit);
  return {
    source: 'archive',
    series,
    count: items.length,
    markets: items.map((state) => present(sources, state, asking.nowUs)),
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    ...(eventPage && {
      events: [...eventPage.items],
      events_has_more: eventPage.has_more,
      next_event_offset: nextOffset(event_offset, eventPage.items.length, eventPage.has_more),
    }),
  };
};

const oneSeries = async (
  { clickhouse }: CatalogueSources,
  id: string,
  { nowUs, signal }: Asking,
): Promise<SeriesItem | undefined> => {
  const scope = { things: 'id = {series_id:String}', markets: 'series = {series_id:String}' };
  const sql = `SELECT ${seriesColumns} FROM ${seriesNow('1', scope)}`;
  const found = await ask(clickhouse, { sql, params: { series_id: id, now_us: nowUs }, signal }, seriesRowNow);
  return found.map(presentSeries)[0];
};

interface Listing {
  readonly question: Question;
  readonly filters: Filters;
}

const marketsOf = (sources: CatalogueSources, { question, filters }: Listing, asking: Asking) =>
  selectMarkets(
    sources,
    {
      where: ['series = {series_id:String}', filters.plain, filters.window ?? '1', filters.matches('ticker')],
      orderBy: 'close_key DESC, ticker',
      limit: question.limit + 1,
      offset: question.offset,
      params: { ...filters.params, series_id: question.series_id },
    },
    asking,
  );

const eventsOf = async (
  { clickhouse }: CatalogueSources,
  { question, filters }: Listing,
  { signal }: Asking,
): Promise<EventItem[]> => {
  const scope = {
    things: 'series = {series_id:String}',
    markets: 'event_ticker IN (SELECT event_ticker FROM events FINAL WHERE series = {series_id:String})',
  };
  const inWindow = filters.window === undefined ? '1' : 'matching_n > 0';
  const sql = `SELECT ${eventColumns} FROM ${eventsNow(filters.window, scope)}
    WHERE ${filters.plain} AND ${filters.matches('event_ticker')} AND ${inWindow}
    ORDER BY newest_close_key DESC, event_ticker LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const params = {
    ...filters.params,
    series_id: question.series_id,
    limit: question.limit + 1,
    offset: question.event_offset,
  };
  return (await ask(clickhouse, { sql, params, signal }, eventRowNow)).map(presentEvent);
};
