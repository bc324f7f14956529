import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf } from '../pages.js';
import type { Time } from '../times.js';
import type { AnswerOf, CallOptions, EventItem, Market, QueryOf, SearchHit, SeriesItem } from '../types.js';

export type Categories = AnswerOf<'listCategories'>;
export type SearchPage = AnswerOf<'search'>;
export type SeriesPage = AnswerOf<'listSeries'>;
export type SeriesDetail = AnswerOf<'getSeries'>;
export type EventDetail = AnswerOf<'getEvent'>;
export type EventSnapshots = AnswerOf<'listEventSnapshots'>;

export const categoriesOf = (transport: Transport) => ({
  /** All categories, with the numbers of their series, events and markets. */
  list: (options?: CallOptions): Promise<Categories> =>
    transport.json({ operation: 'listCategories' }, options, 'categories'),
});

export const searchOf =
  (transport: Transport) =>
  (q: string, params: Omit<QueryOf<'search'>, 'q'> = {}, options?: CallOptions): Pages<SearchHit, SearchPage> =>
    pagesOf<SearchHit, SearchPage, number>(async (offset = params.offset) => {
      const query = { ...params, q, offset };
      const answer = await transport.json<SearchPage>({ operation: 'search', query }, options, 'hits');
      return { answer, items: answer.hits, next: nextOf(answer.has_more, answer.next_offset) };
    });

export const seriesOf = (transport: Transport) => {
  const get = (series_id: string, params: QueryOf<'getSeries'> = {}, options?: CallOptions): Promise<SeriesDetail> =>
    transport.json({ operation: 'getSeries', path: { series_id }, query: params }, options, 'markets');
  return {
    /** Series by the filters, live ones first. */
    list: (params: QueryOf<'listSeries'> = {}, options?: CallOptions): Pages<SeriesItem, SeriesPage> =>
      pagesOf<SeriesItem, SeriesPage, number>(async (offset = params.offset) => {
        const request = { operation: 'listSeries', query: { ...params, offset } } as const;
        const answer = await transport.json<SeriesPage>(request, options, 'series');
        return { answer, items: answer.series, next: nextOf(answer.has_more, answer.next_offset) };
      }),
    /** A series with its newest markets, and its events unless it is rolling. */
    get,
    /** All markets of a series. */
    markets: (
      series_id: string,
      params: Omit<QueryOf<'getSeries'>, 'event_offset'> = {},
      options?: CallOptions,
    ): Pages<Market, SeriesDetail> =>
      pagesOf<Market, SeriesDetail, number>(async (offset = params.offset) => {
        const answer = await get(series_id, { ...params, offset }, options);
        return { answer, items: answer.markets, next: nextOf(answer.has_more, answer.next_offset) };
      }),
    /** All events of a series. A rolling series lists none. */
    events: (
      series_id: string,
      params: Omit<QueryOf<'getSeries'>, 'offset'> = {},
      options?: CallOptions,
    ): Pages<EventItem, SeriesDetail> =>
      pagesOf<EventItem, SeriesDetail, number>(async (event_offset = params.event_offset) => {
        const answer = await get(series_id, { ...params, event_offset }, options);
        const { events = [], events_has_more = false, next_event_offset } = answer;
        return { answer, items: events, next: nextOf(events_has_more, next_event_offset) };
      }),
  };
};

interface GridPosition {
  readonly start_ts?: number;
  readonly cursor?: string;
}

export const eventsOf = (transport: Transport) => {
  const get = (event_id: string, params: QueryOf<'getEvent'> = {}, options?: CallOptions): Promise<EventDetail> =>
    transport.json({ operation: 'getEvent', path: { event_id }, query: params }, options, 'markets');
  return {
    /** An event with its strike ladder and its first markets. */
    get,
    /** All markets of an event. */
    markets: (event_id: string, params: QueryOf<'getEvent'> = {}, options?: CallOptions): Pages<Market, EventDetail> =>
      pagesOf<Market, EventDetail, string>(async (cursor = params.cursor) => {
        const answer = await get(event_id, { ...params, cursor }, options);
        return { answer, items: answer.markets, next: nextOf(answer.has_more, answer.next_cursor) };
      }),
    /**
     * The best prices of all markets of an event on one clock, as columns. Each item is one answer: all markets of a
     * stretch of time come before the next stretch. Without bounds, it is from the open to the close, or to now.
     */
    snapshots: (
      event_id: string,
      params: QueryOf<'listEventSnapshots'> = {},
      options?: CallOptions,
    ): Pages<EventSnapshots, EventSnapshots> => {
      let window: Promise<GridWindow> | undefined;
      const windowOf = async (): Promise<GridWindow> => {
        const { start_ts, end_ts, as_of } = params;
        if (start_ts !== undefined && end_ts !== undefined) return { start_ts, end_ts };
        const { event, as_of: echo } = await get(event_id, { as_of, limit: 1 }, options);
        const whole = wholeGrid(event, echo);
        return { start_ts: start_ts ?? whole.start_ts, end_ts: end_ts ?? whole.end_ts };
      };
      return pagesOf<EventSnapshots, EventSnapshots, GridPosition>(async (at = {}) => {
        const query = { ...params, ...(await (window ??= windowOf())), ...at };
        const request = { operation: 'listEventSnapshots', path: { event_id }, query } as const;
        const answer = await transport.json<EventSnapshots>(request, options, 'markets');
        return { answer, items: [answer], next: nextOf(answer.has_more, afterGrid(answer, at)) };
      });
    },
  };
};

interface GridWindow {
  readonly start_ts?: Time | null | undefined;
  readonly end_ts?: Time | null | undefined;
}

/** The server's own window has 5,000 times at most, and may begin after the open. Ends are exclusive. */
const wholeGrid = ({ open_ts, close_ts }: EventItem, as_of: number | undefined): GridWindow => {
  const endTs = Math.min(close_ts ?? Infinity, as_of ?? Infinity, Date.now() / 1_000) + 1e-6;
  return open_ts === null || open_ts === undefined || open_ts >= endTs ? {} : { start_ts: open_ts, end_ts: endTs };
};

/** First the other markets of the same stretch, then the next stretch with all markets. */
const afterGrid = ({ next_cursor, next_start_ts }: EventSnapshots, at: GridPosition): GridPosition | undefined => {
  if (next_cursor !== null) return { ...at, cursor: next_cursor };
  return next_start_ts === null ? undefined : { start_ts: next_start_ts };
};
