import { z } from 'zod';
import { ofTickers, rowUs, storedRows, storedTrades } from '../stored-rows.js';

const inRange = 'ts >= fromUnixTimestamp64Micro({start_us:Int64}) AND ts < fromUnixTimestamp64Micro({end_us:Int64})';
const settings = 'SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0';

/** A row for each market that has any. Params: tickers, start_us, end_us, and received_us, before which all trades are. */
export const marketCountsSql = `SELECT ticker, sum(row_n) AS rows_n, sum(book_n) AS books_n, min(row_us.1) AS first_us,
  max(row_us.2) AS last_us, sum(trade_n) AS trades_n, max(has_trades) AS is_traded
FROM (
  SELECT ticker, count() AS row_n, countIf(has_book) AS book_n,
    tuple(toNullable(min(${rowUs})), toNullable(max(${rowUs}))) AS row_us, 0 AS trade_n, 0 AS has_trades
  FROM ${storedRows} WHERE ${ofTickers} AND ${inRange} GROUP BY ticker
  UNION ALL
  SELECT ticker, 0, 0, tuple(CAST(NULL AS Nullable(Int64)), CAST(NULL AS Nullable(Int64))), countIf(${inRange}), 1
  FROM ${storedTrades} WHERE ${ofTickers} AND ts < fromUnixTimestamp64Micro({received_us:Int64}) GROUP BY ticker
)
GROUP BY ticker ${settings}`;

export const marketCounts = z.object({
  ticker: z.string(),
  rows_n: z.int(),
  books_n: z.int(),
  first_us: z.int().nullable(),
  last_us: z.int().nullable(),
  trades_n: z.int(),
  is_traded: z.int(),
});
export type MarketCounts = z.output<typeof marketCounts>;

const period = `intDiv(${rowUs} - {start_us:Int64}, {period_us:Int64})`;

/** A row for each period that has any, numbered from 0. Params: tickers, start_us, end_us, period_us. */
export const periodCountsSql = `SELECT period, sum(row_n) AS rows_n, sum(trade_n) AS trades_n
FROM (
  SELECT ${period} AS period, count() AS row_n, 0 AS trade_n
  FROM ${storedRows} WHERE ${ofTickers} AND ${inRange} GROUP BY period
  UNION ALL
  SELECT ${period} AS period, 0, count() FROM ${storedTrades} WHERE ${ofTickers} AND ${inRange} GROUP BY period
)
GROUP BY period ${settings}`;

export const periodCounts = z.object({ period: z.int(), rows_n: z.int(), trades_n: z.int() });
