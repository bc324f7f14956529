import { isValidId } from '@almanac/bus';
import {
  asOfField,
  decodeCursor,
  encodeCursor,
  type EventItem,
  listingOf,
  type MarketState,
  notFound,
  presentMarketAt,
  type ReadTime,
  secondsOf,
  sourceOfText,
  statusOf,
} from '@almanac/contracts';
import { shapeOf } from '../market/markets.js';
import { closeKeyOf, type PastSources, pastStatesOf } from '../market/past-states.js';
import { pageOf } from '../tables/pages.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type EventDetail, type EventDetailInput, positionOfMarket, stepOf } from './event-detail.query.js';
import { eventTitleOf } from './event-items.js';

type Key = readonly [strike: string | null, close: number, ticker: string];

/**
 * GET /events/{id} with `as_of`: the markets that were listed by then, as they were known. The event is what follows from
 * them, because its own title has no knowledge time. Throws `event_not_found`.
 */
export const pastEventDetail = async (
  sources: PastSources,
  { event_id, limit, cursor, as_of }: EventDetailInput,
  { time, queryContext }: { readonly time: ReadTime; readonly queryContext: QueryContext },
): Promise<EventDetail> => {
  const listing = listingOf('event', { event_id, as_of });
  const after = decodeCursor(cursor, { listing, position: positionOfMarket });
  if (!isValidId(event_id)) throw notFound('event_not_found', event_id);
  const all = (await pastStatesOf(sources, { column: 'event_ticker', id: event_id }, { time, queryContext })).toSorted(
    (a, b) => inOrder(keyOf(a), keyOf(b)),
  );
  if (all.length === 0) throw notFound('event_not_found', event_id);
  const later = after === null ? all : all.filter((state) => inOrder(keyOf(state), after) > 0);
  const { items, has_more } = pageOf(later.slice(0, limit + 1), limit);
  const markets = items.map((state) => presentMarketAt(state, shapeOf(sources.series.states, state), time));
  const last = items.at(-1);
  const { event, isDerived } = eventAt(event_id, all, time);
  return {
    event,
    title_source: sourceOfText(event.title, isDerived),
    count: markets.length,
    markets,
    strike_ladder: all.some(({ floor_strike }) => floor_strike !== null) ? markets.map(stepOf) : null,
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, keyOf(last)) : null,
    ...asOfField(time.asOfUs),
  };
};

const keyOf = (state: MarketState): Key => [state.floor_strike, closeKeyOf(state), state.ticker];

const inOrder = ([strikeA, closeA, a]: Key, [strikeB, closeB, b]: Key): number => {
  if ((strikeA === null) !== (strikeB === null)) return strikeA === null ? 1 : -1;
  const strikes = strikeA === null || strikeB === null ? 0 : Number(strikeA) - Number(strikeB);
  return strikes || closeA - closeB || (a < b ? -1 : a > b ? 1 : 0);
};

/** What follows from the markets of an event, in the order of the event. Its own title has no knowledge time. */
export const eventAt = (
  id: string,
  markets: readonly MarketState[],
  { nowUs }: ReadTime,
): { readonly event: EventItem; readonly isDerived: boolean } => {
  const timesOf = (name: 'open_us' | 'close_us'): number[] => markets.flatMap((state) => state[name] ?? []);
  const lastOf = (times: number[]): number | null => (times.length === 0 ? null : Math.max(...times));
  const opens = timesOf('open_us');
  const closeUs = lastOf(timesOf('close_us'));
  const statuses = markets.map((state) => statusOf(state, nowUs));
  const liveN = statuses.filter((status) => status === 'live').length;
  const [first] = markets;
  const series = first?.series ?? null;
  const { title, isDerived } = eventTitleOf({ title: null, series, newest_close_us: closeUs });
  const event: EventItem = {
    event_ticker: id,
    title,
    series,
    category: first?.category ?? null,
    status: liveN > 0 ? 'live' : statuses.every((status) => status === 'finalized') ? 'finalized' : 'closed',
    open_ts: secondsOf(opens.length === 0 ? null : Math.min(...opens)),
    close_ts: secondsOf(closeUs),
    markets_n: markets.length,
    live_n: liveN,
    closed_n: markets.length - liveN,
  };
  return { event, isDerived };
};
