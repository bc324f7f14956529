import { isValidId } from '@almanac/bus';
import {
  asOfField,
  decodeCursor,
  encodeCursor,
  listingOf,
  type MarketState,
  notFound,
  presentMarketAt,
  type ReadTime,
  sourceOfText,
} from '@almanac/contracts';
import { type CatalogueSources, shapeOf } from '../market/markets.js';
import { pastMarkets } from '../market/past-markets.js';
import type { RankedRow } from '../tables/candidates.js';
import { pageOf } from '../tables/pages.js';
import type { QueryContext } from '../tables/read-rows.js';
import { type EventDetail, type EventDetailInput, positionOfMarket, stepOf } from './event-detail.query.js';
import { pastEvents } from './past-events.js';

type Key = readonly [strike: string | null, close: number, ticker: string];

/**
 * GET /events/{id} with `as_of`: the markets that were listed by then, as they were known. The event is what follows from
 * them, because its own title has no knowledge time. Throws `event_not_found`.
 */
export const pastEventDetail = async (
  { clickhouse, series }: Pick<CatalogueSources, 'clickhouse' | 'series'>,
  { event_id, limit, cursor, as_of }: EventDetailInput,
  { time, queryContext }: { readonly time: ReadTime; readonly queryContext: QueryContext },
): Promise<EventDetail> => {
  const listing = listingOf('event', { event_id, as_of });
  const after = decodeCursor(cursor, { listing, position: positionOfMarket });
  if (!isValidId(event_id)) throw notFound('event_not_found', event_id);
  const past = { clickhouse, asOfUs: time.nowUs, signal: queryContext.signal };
  const parent = { column: 'event_ticker', id: event_id } as const;
  const [found, [shown]] = await Promise.all([
    pastMarkets(past, { parent }),
    pastEvents(past, { parent, filters: {}, textQuery: null, page: { limit: 1 } }),
  ]);
  if (shown === undefined) throw notFound('event_not_found', event_id);
  const all = found.toSorted((a, b) => inOrder(keyOf(a), keyOf(b)));
  const later = after === null ? all : all.filter((one) => inOrder(keyOf(one), after) > 0);
  const { items, has_more } = pageOf(later.slice(0, limit + 1), limit);
  const markets = items.map(({ row }) => presentMarketAt(row, shapeOf(series.states, row), time));
  const last = items.at(-1);
  const { event, isDerived, group } = shown;
  return {
    event,
    title_source: sourceOfText(event.title, isDerived),
    count: markets.length,
    markets,
    strike_ladder: group.strikes_n > 0 ? markets.map(stepOf) : null,
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, keyOf(last)) : null,
    ...asOfField(time.asOfUs),
  };
};

const keyOf = ({ position: { key, id }, row }: RankedRow<MarketState>): Key => [row.floor_strike, key, id];

const inOrder = ([strikeA, closeA, a]: Key, [strikeB, closeB, b]: Key): number => {
  if ((strikeA === null) !== (strikeB === null)) return strikeA === null ? 1 : -1;
  const strikes = strikeA === null || strikeB === null ? 0 : Number(strikeA) - Number(strikeB);
  return strikes || closeA - closeB || (a < b ? -1 : a > b ? 1 : 0);
};
