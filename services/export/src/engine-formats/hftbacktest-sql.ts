import type { ExportQuery } from '@almanac/contracts';
import type { Selection } from '../files/file-selection.js';
import { bookChanges, levelOf } from './book-changes-sql.js';

/** Flags of `ev` (https://hftbacktest.readthedocs.io/en/latest/data.html). */
const depth = 1;
const trade = 2;
const depthClear = 3;
const depthSnapshot = 4;
/** Both the exchange and the local processor handle an event: 1 << 31 and 1 << 30. */
const handledByBoth = 0xc0_00_00_00;
const buy = 0x20_00_00_00;
const sell = 0x10_00_00_00;

/** The events of one market. `n` orders those of one message, with `kind` 0 for books and 1 for trades. */
export const hftbacktestRows = ({ streams }: Pick<ExportQuery, 'streams'>, selection: Selection): string =>
  [
    ...(streams.includes('l2') ? [bookEvents(selection)] : []),
    ...(streams.includes('trades') ? [tradeEvents(selection)] : []),
  ].join('\nUNION ALL\n');

const change = levelOf('change');

/** A whole book begins with two events that clear the bids and the asks, with NaN as price. */
const isClear = '(is_whole AND n <= 2)';

const bookEvents = (selection: Selection): string => `
SELECT market, at, venue_at, 0 AS kind, n, '' AS id,
  toUInt64(if(${isClear}, ${depthClear}, if(is_whole, ${depthSnapshot}, ${depth})) + if(if(${isClear}, n = 2, ${change.isAsk}), ${sell}, ${buy})) AS flags,
  if(${isClear}, nan, toFloat64(${change.price})) AS px, if(${isClear}, 0, toFloat64(${change.size})) AS qty
FROM (
  SELECT market, at, venue_at, is_whole, if(is_whole, arrayConcat([toInt128(0), toInt128(0)], changes), changes) AS events
  FROM (${bookChanges(selection)}))
ARRAY JOIN events AS change, arrayEnumerate(events) AS n`;

const tradeEvents = ({ trades }: Selection): string => `
SELECT ticker AS market, ts AS at, venue_ts AS venue_at, 1 AS kind, 1 AS n, trade_id AS id,
  toUInt64(${trade} + multiIf(taker_side = 'yes', ${buy}, taker_side = 'no', ${sell}, 0)) AS flags,
  toFloat64(price) AS px, toFloat64(size) AS qty
FROM trades FINAL WHERE ${trades}`;

/**
 * 64 bytes for each event, in the order of fields of `event_dtype`. Both clocks are in nanoseconds and never go back: an
 * exchange time is not after its local time, and not before that of an earlier event.
 */
export const hftbacktestFile = (rows: string): string => `SELECT
  toUInt64(flags + ${handledByBoth}) AS ev,
  max(least(toUnixTimestamp64Micro(ifNull(venue_at, at)), toUnixTimestamp64Micro(at))) OVER (
    ORDER BY at, kind, id, n ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) * 1000 AS exch_ts,
  toUnixTimestamp64Micro(at) * 1000 AS local_ts,
  px, qty, toUInt64(0) AS order_id, toInt64(0) AS ival, toFloat64(0) AS fval
FROM (${rows}) ORDER BY at, kind, id, n`;
