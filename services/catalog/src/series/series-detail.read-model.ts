import { isNameable, subjects } from '@almanac/bus';
import { type catalogRpc, type EventItem, noSuch, type seriesDetailResponse } from '@almanac/contracts';
import type { z } from 'zod';
import {
  eventCondition,
  eventRow,
  eventsSql,
  eventsThatAnswer,
  liveMarketsOf,
  presentEvent,
} from '../event/event-items.js';
import { marketsThatAnswer } from '../market/markets-that-answer.js';
import { type CatalogueSources, present, selectMarkets } from '../market/markets.js';
import { ask, type Asking } from '../tables/ask.js';
import { allOf, type Condition, type Filters, filtersOf, marketCondition } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { type Question, questionOf } from '../tables/question.js';
import type { FiguresNow } from './figures-now.js';
import { countedSeries, presentSeries } from './series-items.js';

type Asked = z.output<typeof catalogRpc.seriesDetail.input>;
type Answered = Omit<z.output<typeof seriesDetailResponse>, 'source'>;

/**
 * GET /series/{id}: the series with its whole figures, its markets that match, newest close first, and, when it is not
 * rolling, its events that match in the same order. Throws `series_not_found`.
 */
export const seriesDetail = async (
  { now, ...sources }: CatalogueSources & { now: FiguresNow },
  asked: Asked,
  asking: Asking,
): Promise<Answered> => {
  const { series_id, limit, offset, event_offset } = asked;
  const state = isNameable(series_id) ? sources.series.get(subjects.series(series_id)) : undefined;
  if (state === undefined) throw noSuch('series_not_found', series_id);
  const filters = filtersOf(asked);
  const question = questionOf(asked.q);
  const listing = filters && question !== undefined ? { asked, filters, question } : undefined;
  const [markets, events] = await Promise.all([
    listing ? marketsOf(sources, listing, asking) : [],
    state.shape === 'rolling' ? undefined : listing ? eventsOf(sources, listing, asking) : [],
  ]);
  const { items, has_more } = pageOf(markets, limit);
  const eventPage = events && pageOf(events, limit);
  return {
    series: presentSeries(countedSeries(state, now)),
    count: items.length,
    markets: items.map(({ row }) => present(sources, row, asking.nowUs)),
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
  readonly asked: Asked;
  readonly filters: Filters;
  readonly question: Question | null;
}

const ofSeries = ({ series_id }: Asked): Condition => ({
  sql: 'series = {series_id:String}',
  params: { series_id },
});

const marketsOf = async (sources: CatalogueSources, { asked, filters, question }: Listing, asking: Asking) => {
  const answering = await marketsThatAnswer(sources, question, asking);
  const condition = allOf(ofSeries(asked), marketCondition(filters, asking.nowUs), answering);
  return selectMarkets(sources, condition, { page: { limit: asked.limit + 1, offset: asked.offset }, asking });
};

const eventsOf = async (
  { clickhouse }: CatalogueSources,
  { asked, filters, question }: Listing,
  asking: Asking,
): Promise<EventItem[]> => {
  const mine = ofSeries(asked);
  const condition = allOf(eventCondition(filters, asking.nowUs), ...(question ? [eventsThatAnswer(question)] : []));
  const matched = `SELECT event_ticker FROM events WHERE ${mine.sql}`;
  const sql = `SELECT * EXCEPT words FROM (${eventsSql({ matched, fits: mine.sql })}) WHERE ${condition.sql}
    ORDER BY close_key DESC, event_ticker LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const page = { limit: asked.limit + 1, offset: asked.event_offset };
  const params = { ...mine.params, ...condition.params, ...page };
  const found = await ask(clickhouse, { sql, params, signal: asking.signal }, eventRow);
  const live = await liveMarketsOf(clickhouse, found, asking);
  return found.map((row) => presentEvent(row, live.get(row.event_ticker) ?? 0, asking.nowUs));
};
