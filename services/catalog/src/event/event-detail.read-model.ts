import { isNameable } from '@almanac/bus';
import { type catalogRpc, type eventDetailResponse, noSuch } from '@almanac/contracts';
import { z } from 'zod';
import { type Asking, type CatalogueSources, closeKeyOf, present, selectMarkets } from '../market/markets.js';
import { ask } from '../tables/ask.js';
import { decodeCursor, encodeCursor } from '../tables/cursor.js';
import { storable } from '../tables/rows.js';
import { eventsNow } from '../tables/now.js';
import { pageOf } from '../tables/pages.js';
import { eventColumns, eventRowNow, presentEvent } from './event-items.js';

type Question = z.output<typeof catalogRpc.eventDetail.input>;

/** The last market seen: strike (null: none), close, ticker. */
const position = z.tuple([z.string().regex(storable).nullable(), z.int(), z.string().refine(isNameable)]);

/**
 * GET /events/{id}: the event and its markets by strike, those without one by close; `strike_ladder` holds the same
 * page of an event of which any market has a strike. Throws `event_not_found`.
 */
export const eventDetail = async (
  sources: CatalogueSources,
  { event_id, limit, cursor }: Question,
  asking: Asking,
): Promise<z.output<typeof eventDetailResponse>> => {
  const after = decodeCursor(cursor, position);
  const row = isNameable(event_id) ? await oneEvent(sources, event_id, asking) : undefined;
  if (row === undefined) throw noSuch('event_not_found', event_id);
  const found = await selectMarkets(
    sources,
    {
      where: ['event_ticker = {event_id:String}', ...(after === null ? [] : [afterPosition])],
      orderBy: sortKey,
      limit: limit + 1,
      params: {
        event_id,
        after_none: after?.[0] === null ? 1 : 0,
        after_strike: after?.[0] ?? '0',
        after_key: after?.[1] ?? 0,
        after_ticker: after?.[2] ?? '',
      },
    },
    asking,
  );
  const { items, has_more } = pageOf(found, limit);
  const markets = items.map((state) => present(sources, state, asking.nowUs));
  const last = items.at(-1);
  return {
    source: 'archive',
    event: presentEvent(row),
    count: markets.length,
    markets,
    strike_ladder:
      row.strikes_n === 0
        ? null
        : markets.map(({ ticker, floor_strike, strike_type, status, result }) => {
            return { ticker, floor_strike, strike_type, status, result };
          }),
    has_more,
    next_cursor: has_more && last ? encodeCursor([last.floor_strike, closeKeyOf(last), last.ticker]) : null,
  };
};

const sortKey = 'has_no_strike, strike_key, close_key, ticker';
const afterPosition = `(${sortKey}) >
  ({after_none:UInt8}, {after_strike:Decimal(18, 8)}, {after_key:Int64}, {after_ticker:String})`;

const oneEvent = async ({ clickhouse }: CatalogueSources, event_id: string, { nowUs, signal }: Asking) => {
  const mine = 'event_ticker = {event_id:String}';
  const sql = `SELECT ${eventColumns} FROM ${eventsNow('1', { things: mine, markets: mine })}`;
  const found = await ask(clickhouse, { sql, params: { event_id, now_us: nowUs }, signal }, eventRowNow);
  return found[0];
};
