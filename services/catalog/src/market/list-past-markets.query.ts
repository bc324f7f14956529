import { isValidId } from '@almanac/bus';
import {
  asOfField,
  decodeCursor,
  DomainError,
  encodeCursor,
  listingOf,
  type MarketState,
  presentMarketAt,
  type ReadTime,
  secondsOf,
  statusOf,
} from '@almanac/contracts';
import { z } from 'zod';
import { type Filters, filtersOf } from '../tables/filters.js';
import { pageOf } from '../tables/pages.js';
import { byPosition, type Position } from '../tables/position.js';
import type { QueryContext } from '../tables/read-rows.js';
import { floorOf } from './default-window.js';
import type { ListMarketsInput, MarketList } from './list-markets.query.js';
import { shapeOf } from './markets.js';
import { type Parent, type PastSources, pastStatesOf, positionOfState } from './past-states.js';

const position = z.tuple([z.int(), z.string().refine(isValidId)]);

/**
 * GET /markets with `as_of`, of one series or event: the markets that were listed by then, in the order and with the default
 * window of that time. Throws `invalid_input` for what it cannot answer as of a time.
 */
export const listPastMarkets = async (
  sources: PastSources,
  input: ListMarketsInput,
  { time, queryContext }: { readonly time: ReadTime; readonly queryContext: QueryContext },
): Promise<MarketList> => {
  const parent = parentOf(input);
  const { limit, cursor, ...given } = input;
  const listing = listingOf('past markets', given);
  const after = decodeCursor(cursor, { listing, position });
  const filters = filtersOf(input);
  const isOpenEnded = !input.event && (input.from_ts ?? null) === null && (input.to_ts ?? null) === null;
  const found =
    filters === undefined || !isValidId(parent.id)
      ? []
      : await matching(sources, input, { filters, time, queryContext });
  const window = isOpenEnded ? windowOf(found, input.days, time) : null;
  const listed = found.filter(({ at }) => window === null || at.key > window.floor);
  const later =
    after === null ? listed : listed.filter(({ at }) => byPosition(at, { key: after[0], id: after[1] }) > 0);
  const { items, has_more } = pageOf(later.slice(0, limit + 1), limit);
  const last = items.at(-1)?.at;
  return {
    count: items.length,
    markets: items.map(({ state }) => presentMarketAt(state, shapeOf(sources.series.states, state), time)),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.key, last.id]) : null,
    from_ts: window?.fromUs === undefined ? (input.from_ts ?? null) : secondsOf(window.fromUs),
    to_ts: input.to_ts ?? null,
    defaulted: isOpenEnded,
    has_older: window?.hasOlder ?? false,
    ...asOfField(time.asOfUs),
  };
};

const parentOf = ({ event, series, q, changed_since_ts: changedSince }: ListMarketsInput): Parent => {
  if (q?.trim() || (changedSince ?? null) !== null) {
    throw new DomainError('invalid_input', 'as_of does not work with q and changed_since_ts. Send series or event.');
  }
  if (event) return { column: 'event_ticker', id: event };
  if (series) return { column: 'series', id: series };
  throw new DomainError('invalid_input', 'as_of needs a series or an event. Send one of them.');
};

interface Listed {
  readonly state: MarketState;
  readonly at: Position;
}

const matching = async (
  sources: PastSources,
  input: ListMarketsInput,
  context: { readonly filters: Filters; readonly time: ReadTime; readonly queryContext: QueryContext },
): Promise<Listed[]> => {
  const { filters, time } = context;
  const states = await pastStatesOf(sources, parentOf(input), context);
  return states
    .filter((state) => !input.series || state.series === input.series)
    .filter((state) => fits(state, filters, time))
    .map((state) => ({ state, at: positionOfState(state) }))
    .toSorted((a, b) => byPosition(a.at, b.at));
};

export const fits = (state: MarketState, { status, category, window }: Filters, { nowUs }: ReadTime): boolean => {
  if (status !== undefined && statusOf(state, nowUs) !== status) return false;
  if (category !== undefined && state.category !== category) return false;
  const { close_us: closeUs } = state;
  return window === undefined || (closeUs !== null && closeUs >= window.fromUs && closeUs <= window.toUs);
};

interface PastWindow {
  readonly floor: number;
  readonly fromUs: number | undefined;
  readonly hasOlder: boolean;
}

/** As the default window of the present: live markets, and those that closed in the days before the newest past close. */
const windowOf = (found: readonly Listed[], days: number, { nowUs }: ReadTime): PastWindow => {
  const newest = found.find(({ at: { key } }) => key >= 0 && key <= nowUs);
  if (newest === undefined) return { floor: -1, fromUs: undefined, hasOlder: false };
  const floor = floorOf({ position: newest.at }, days);
  return { floor, fromUs: floor + 1, hasOlder: found.some(({ at: { key } }) => key >= 0 && key <= floor) };
};
