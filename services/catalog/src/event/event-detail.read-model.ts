import { isNameable } from '@almanac/bus';
import {
  type catalogRpc,
  decodeCursor,
  encodeCursor,
  type eventDetailResponse,
  listingOf,
  type Market,
  marketState,
  noSuch,
} from '@almanac/contracts';
import { z } from 'zod';
import { type CatalogueSources, marketColumns, present } from '../market/markets.js';
import { ask, type Asking } from '../tables/ask.js';
import { pageOf } from '../tables/pages.js';
import { storable } from '../tables/rows.js';
import { eventRow, type EventRow, eventsSql, liveMarketsOf, presentEvent } from './event-items.js';

type Asked = z.output<typeof catalogRpc.eventDetail.input>;
type Answered = Omit<z.output<typeof eventDetailResponse>, 'source'>;

/** The last market seen: strike (null: none), close, ticker. */
const position = z.tuple([z.string().regex(storable).nullable(), z.int(), z.string().refine(isNameable)]);

/**
 * GET /events/{id}: the event and its markets by strike, those without one by close; `strike_ladder` holds the same
 * page of an event of which any market has a strike. Throws `event_not_found`.
 */
export const eventDetail = async (
  sources: CatalogueSources,
  { event_id, limit, cursor }: Asked,
  asking: Asking,
): Promise<Answered> => {
  const listing = listingOf('event', { event_id });
  const after = decodeCursor(cursor, { listing, position });
  if (!isNameable(event_id)) throw noSuch('event_not_found', event_id);
  const [row, found] = await Promise.all([
    oneEvent(sources, event_id, asking),
    marketsByStrike(sources, { event_id, after, limit: limit + 1 }, asking),
  ]);
  if (row === undefined) throw noSuch('event_not_found', event_id);
  const live = await liveMarketsOf(sources.clickhouse, [row], asking);
  const { items, has_more } = pageOf(found, limit);
  const markets = items.map((one) => present(sources, one, asking.nowUs));
  const last = items.at(-1);
  return {
    event: presentEvent(row, live.get(event_id) ?? 0, asking.nowUs),
    count: markets.length,
    markets,
    strike_ladder: row.strikes_n === 0 ? null : markets.map(stepOf),
    has_more,
    next_cursor: has_more && last ? encodeCursor(listing, [last.floor_strike, last.close_key, last.ticker]) : null,
  };
};

const stepOf = ({ ticker, floor_strike, strike_type, status, result }: Market) => ({
  ticker,
  floor_strike,
  strike_type,
  status,
  result,
});

const oneEvent = async (
  { clickhouse }: CatalogueSources,
  event_id: string,
  { signal }: Asking,
): Promise<EventRow | undefined> => {
  const sql = eventsSql({ matched: 'SELECT {event_id:String}', fits: 'event_ticker = {event_id:String}' });
  return (await ask(clickhouse, { sql, params: { event_id }, signal }, eventRow))[0];
};

const sortKey = 'has_no_strike, strike_key, close_key, ticker';
const afterPosition = `(${sortKey}) >
  ({after_none:UInt8}, {after_strike:Decimal(18, 8)}, {after_key:Int64}, {after_ticker:String})`;

/** An event's tickers are few, so FINAL decides among their rows. No name stands for two things: ClickHouse would take the one for the other. */
const marketsByStrike = (
  { clickhouse }: CatalogueSources,
  { event_id, after, limit }: { event_id: string; after: z.output<typeof position> | null; limit: number },
  { signal }: Asking,
) => {
  const page = `SELECT *, isNull(floor_strike) AS has_no_strike,
      assumeNotNull(ifNull(floor_strike, toDecimal64(0, 8))) AS strike_key
    FROM markets FINAL
    WHERE ticker IN (SELECT ticker FROM markets WHERE event_ticker = {event_id:String})
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
  return ask(clickhouse, { sql, params, signal }, marketState.extend({ close_key: z.int() }));
};
