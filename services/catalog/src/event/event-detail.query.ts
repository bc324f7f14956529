import { isValidId } from '@almanac/bus';
import {
  type catalogRpc,
  decodeCursor,
  encodeCursor,
  type eventDetailResponse,
  listingOf,
  type Market,
  marketState,
  notFound,
  sourceOfText,
} from '@almanac/contracts';
import { z } from 'zod';
import { type CatalogueSources, marketColumns, present } from '../market/markets.js';
import { readRows, type QueryContext } from '../tables/read-rows.js';
import { pageOf } from '../tables/pages.js';
import { storable } from '../tables/rows.js';
import { eventRow, type EventRow, eventsSql, eventTitleOf, liveMarketsOf, presentEvent } from './event-items.js';

export type EventDetailInput = z.output<typeof catalogRpc.eventDetail.input>;
export type EventDetail = Omit<z.output<typeof eventDetailResponse>, 'source'>;

/** The last market of the page: strike (null: none), close, ticker. */
export const positionOfMarket = z.tuple([z.string().regex(storable).nullable(), z.int(), z.string().refine(isValidId)]);

/**
 * GET /events/{id}: the event with its markets by strike; markets without a strike follow by close. `strike_ladder`
 * holds the same page if any market of the event has a strike. Throws `event_not_found`.
 */
export const eventDetail = async (
  sources: CatalogueSources,
  { event_id, limit, cursor }: EventDetailInput,
  queryContext: QueryContext,
): Promise<EventDetail> => {
  const listing = listingOf('event', { event_id });
  const after = decodeCursor(cursor, { listing, position: positionOfMarket });
  if (!isValidId(event_id)) throw notFound('event_not_found', event_id);
  const [row, found] = await Promise.all([
    oneEvent(sources, event_id, queryContext),
    marketsByStrike(sources, { event_id, after, limit: limit + 1 }, queryContext),
  ]);
  if (row === undefined) throw notFound('event_not_found', event_id);
  const live = await liveMarketsOf(sources.clickhouse, [row], queryContext);
  const { items, has_more } = pageOf(found, limit);
  const markets = items.map((one) => present(sources, one, queryContext.nowUs));
  const last = items.at(-1);
  const { title, isDerived } = eventTitleOf(row);
  return {
    event: presentEvent(row, live.get(event_id) ?? 0, queryContext.nowUs),
    title_source: sourceOfText(title, isDerived),
    count: markets.length,
    markets,
    strike_ladder: row.strikes_n === 0 ? null : markets.map(stepOf),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.floor_strike, last.close_key, last.ticker]) : null,
  };
};

export const stepOf = ({ ticker, floor_strike, strike_type, status, result }: Market) => ({
  ticker,
  floor_strike,
  strike_type,
  status,
  result,
});

const oneEvent = async (
  { clickhouse }: CatalogueSources,
  event_id: string,
  { signal }: QueryContext,
): Promise<EventRow | undefined> => {
  const sql = eventsSql({ matched: 'SELECT {event_id:String}', fits: 'event_ticker = {event_id:String}' });
  return (await readRows(clickhouse, { sql, params: { event_id }, signal }, eventRow))[0];
};

const sortKey = 'has_no_strike, strike_key, close_key, ticker';
const afterPosition = `(${sortKey}) >
  ({after_none:UInt8}, {after_strike:Decimal(18, 8)}, {after_key:Int64}, {after_ticker:String})`;

/** FINAL is cheap: an event has few tickers. No alias equals a column name, or ClickHouse would confuse them. */
const marketsByStrike = (
  { clickhouse }: CatalogueSources,
  { event_id, after, limit }: { event_id: string; after: z.output<typeof positionOfMarket> | null; limit: number },
  { signal }: QueryContext,
) => {
  const page = `SELECT *, isNull(floor_strike) AS has_no_strike,
      assumeNotNull(ifNull(floor_strike, toDecimal64(0, 8))) AS strike_key
    FROM markets FINAL
    WHERE ticker IN (SELECT ticker FROM markets_by_close WHERE event_ticker = {event_id:String})
      AND event_ticker = {event_id:String} AND ${after === null ? '1' : afterPosition}
    ORDER BY ${sortKey} LIMIT {limit:UInt32}`;
  const sql = `SELECT ticker, close_key, ${marketColumns} FROM (${page}) ORDER BY ${sortKey}`;
  const params = {
    event_id,
    limit,
    ...(after && {
      after_none: after[0] === null ? 1 : 0,
      after_strike: after[0] ?? '0',
      after_key: after[1],
      after_ticker: after[2],
    }),
  };
  return readRows(clickhouse, { sql, params, signal }, marketState.extend({ close_key: z.int() }));
};
