import { rowUs, storedRows } from '../stored-rows.js';
import { flatRow, type Table } from '../tables/table-sql.js';

const ofMarket = 'ticker = {ticker:String}';

/** The time of the last book, absent without one. Params: ticker, from_us, at_us. */
export const lastBookSql = `SELECT ${rowUs} AS last_us FROM ${storedRows}
WHERE ${ofMarket} AND has_book
  AND ts >= fromUnixTimestamp64Micro({from_us:Int64}) AND ts <= fromUnixTimestamp64Micro({at_us:Int64})
ORDER BY ts DESC LIMIT 1
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

const bookColumns = {
  ts: 'time',
  venue_ts: 'time',
  seq: 'whole',
  age_ms: 'whole',
  orderbook_yes: 'book',
  orderbook_no: 'book',
} as const;

/** The book of the row at this time. Params: ticker, row_us (-1 for no row), at_us, depth, with_book. */
export const bookAtTable: Table = {
  columns: { ticker: 'text', ...bookColumns },
  jsonRow: flatRow(bookColumns),
  rows: `SELECT ticker, toNullable(ts) AS ts, venue_ts, seq,
  toDecimal64({at_us:Int64} - ${rowUs}, 3) / 1000 AS age_ms, has_book AND {with_book:UInt8} AS has_book,
  if({with_book:UInt8}, arraySlice(orderbook_yes, 1, {depth:UInt32}), []) AS orderbook_yes,
  if({with_book:UInt8}, arraySlice(orderbook_no, 1, {depth:UInt32}), []) AS orderbook_no
FROM ${storedRows} WHERE ${ofMarket} AND ts = fromUnixTimestamp64Micro({row_us:Int64})`,
};
