import { isValidId } from '@almanac/bus';
import {
  asOfField,
  DomainError,
  type MarketState,
  notFound,
  presentMarketAt,
  type ReadTime,
  secondsOf,
  type SeriesItem,
  statusOf,
} from '@almanac/contracts';
import { eventAt } from '../event/past-event.query.js';
import { fits } from '../market/list-past-markets.query.js';
import { shapeOf } from '../market/markets.js';
import { closeKeyOf, type PastSources, pastStatesOf, positionOfState } from '../market/past-states.js';
import { readableSeries } from '../record/readable-names.js';
import { type Filters, filtersOf } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { byPosition } from '../tables/position.js';
import type { QueryContext } from '../tables/read-rows.js';
import type { SeriesDetail, SeriesDetailInput } from './series-detail.query.js';

interface At {
  readonly time: ReadTime;
  readonly queryContext: QueryContext;
}

/**
 * GET /series/{id} with `as_of`: what follows from its markets that were listed by then. Its own label has no knowledge time.
 * Throws `series_not_found`, and `invalid_input` with `q`.
 */
export const pastSeriesDetail = async (
  sources: PastSources,
  input: SeriesDetailInput,
  { time, queryContext }: At,
): Promise<SeriesDetail> => {
  const { series_id: id, limit, offset, event_offset } = input;
  if (input.q?.trim()) throw new DomainError('invalid_input', 'as_of does not work with q.');
  const found = isValidId(id) ? await pastStatesOf(sources, { column: 'series', id }, { time, queryContext }) : [];
  const states = found.toSorted((a, b) => byPosition(positionOfState(a), positionOfState(b)));
  const [first] = states;
  if (first === undefined) throw notFound('series_not_found', id);
  const shape = shapeOf(sources.series.states, first);
  const filters = filtersOf(input);
  const fitting = filters === undefined ? [] : states.filter((state) => fits(state, filters, time));
  const { items, has_more } = pageOf(fitting.slice(offset, offset + limit + 1), limit);
  const events = shape === 'rolling' || filters === undefined ? [] : eventsOf(states, filters, time);
  const eventPage = pageOf(events.slice(event_offset, event_offset + limit + 1), limit);
  return {
    series: { ...seriesOf(id, states, time), shape },
    label_source: 'almanac',
    count: items.length,
    markets: items.map((state) => presentMarketAt(state, shape, time)),
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    ...(shape !== 'rolling' && {
      events: eventPage.items.map(({ event }) => event),
      events_has_more: eventPage.has_more,
      next_event_offset: nextOffset(event_offset, eventPage.items.length, eventPage.has_more),
    }),
    ...asOfField(time.asOfUs),
  };
};

/** Events with a market that fits the window, the newest close first. */
const eventsOf = (states: readonly MarketState[], { status, window }: Filters, time: ReadTime) =>
  [...Map.groupBy(states, ({ event_ticker: event }) => event)]
    .flatMap(([id, markets]) => (id === null ? [] : [{ id, markets, ...eventAt(id, markets, time) }]))
    .filter(({ event }) => status === undefined || event.status === status)
    .filter(({ markets }) => markets.some((state) => fits(state, { window }, time)))
    .map((one) => ({ ...one, at: { key: Math.max(...one.markets.map(closeKeyOf)), id: one.id } }))
    .toSorted((a, b) => byPosition(a.at, b.at));

const seriesOf = (id: string, states: readonly MarketState[], { nowUs }: ReadTime): Omit<SeriesItem, 'shape'> => {
  const statuses = states.map((state) => statusOf(state, nowUs));
  const liveN = statuses.filter((status) => status === 'live').length;
  const closes = states.flatMap(({ close_us: us }) => us ?? []);
  const opens = states.flatMap(({ open_us: us }) => us ?? []);
  return {
    id,
    label: readableSeries(id),
    category: states[0]?.category ?? null,
    category_label: states[0]?.category_label ?? null,
    markets_n: states.length,
    live_n: liveN,
    closed_n: states.length - liveN,
    events_n: new Set(states.flatMap(({ event_ticker: event }) => event ?? [])).size,
    sample_title: states.find(({ title }) => title !== null)?.title ?? null,
    next_close_ts: secondsOf(least(closes.filter((us) => us > nowUs))),
    last_close_ts: secondsOf(greatest(closes.filter((us) => us <= nowUs))),
    min_open_ts: secondsOf(least(opens)),
    status: liveN > 0 ? 'live' : statuses.every((status) => status === 'finalized') ? 'finalized' : 'closed',
  };
};

const least = (times: readonly number[]): number | null =>
  times.reduce<number | null>((a, b) => (a === null || b < a ? b : a), null);
const greatest = (times: readonly number[]): number | null =>
  times.reduce<number | null>((a, b) => (a === null || b > a ? b : a), null);
