/**
 * Candles of several markets in one query. Params: tickers, ends_us (of trading) and gaps (pairs) of each ticker,
 * start_us, end_us, period_us.
 */
import { ofTickers, rowUs, storedRows } from '../stored-rows.js';
import type { Columns, Table } from '../tables/table-sql.js';

const quotes = {
  yes_bid: 'yes_best_bid',
  yes_ask: 'yes_best_ask',
  // The middle of two prices needs one more digit.
  mid: 'toDecimal64(yes_best_bid + yes_best_ask, 7) / 2',
  coin_price: 'coin_price',
} as const;
const quoteNames = ['yes_bid', 'yes_ask', 'mid', 'coin_price'] as const;
const parts = ['open', 'high', 'low', 'close'] as const;
const priceParts = [...parts, 'mean', 'previous'] as const;

const decimals = (names: readonly string[]): Columns => Object.fromEntries(names.map((name) => [name, 'decimal']));

const columns: Columns = {
  ticker: 'text',
  start_ts: 'time',
  end_ts: 'time',
  ...decimals(quoteNames.flatMap((quote) => parts.map((part) => `${quote}_${part}`))),
  ...decimals(priceParts.map((part) => `price_${part}`)),
  volume: 'decimal',
  trades: 'whole',
  observations: 'whole',
  gap_s: 'whole',
};

const nested = (name: string, fields: readonly string[]): string =>
  `"${name}":{${fields.map((field) => `"${field}":\${${name}_${field}:JSON}`).join(',')}}`;
const flat = (name: string): string => `"${name}":\${${name}:JSON}`;

const jsonRow = [
  ...['ticker', 'start_ts', 'end_ts'].map(flat),
  ...quoteNames.map((quote) => nested(quote, parts)),
  nested('price', priceParts),
  ...['volume', 'trades', 'observations', 'gap_s'].map(flat),
].join(',');

/** Each market with the end of its trading and its gaps. */
const markets = `SELECT market.1 AS ticker, market.2 AS trading_end_us, market.3 AS gaps
  FROM (SELECT arrayJoin(arrayZip({tickers:Array(String)}, {ends_us:Array(Int64)},
    {gaps:Array(Array(Array(Int64)))})) AS market)`;

const isTraded = `${ofTickers} AND ts < fromUnixTimestamp64Micro({end_us:Int64})
    AND ${rowUs} < transform(ticker, {tickers:Array(String)}, {ends_us:Array(Int64)}, toInt64(0))`;
const fromStart = 'ts >= fromUnixTimestamp64Micro({start_us:Int64})';

const rangeOf = (name: string): string => `argMinIf(${name}, row_us, isNotNull(${name})) AS ${name}_open,
    max(${name}) AS ${name}_high, min(${name}) AS ${name}_low, argMaxIf(${name}, row_us, isNotNull(${name})) AS ${name}_close`;

/** One row for each period with observations. */
const observed = `SELECT ticker, intDiv(row_us, {period_us:Int64}) AS period, count() AS observations,
    ${quoteNames.map(rangeOf).join(',\n    ')}
  FROM (
    SELECT ticker, ${rowUs} AS row_us, ${quoteNames.map((name) => `${quotes[name]} AS ${name}`).join(', ')}
    FROM ${storedRows} WHERE ${isTraded} AND ${fromStart}
  )
  GROUP BY ticker, period`;

/** Trades of the period. No trades are stored yet, so their columns are null. */
const noTrades = `${priceParts.map((part) => `CAST(NULL AS Nullable(Decimal(9, 6))) AS price_${part}`).join(', ')},
  CAST(NULL AS Nullable(Decimal(18, 6))) AS volume, CAST(NULL AS Nullable(UInt64)) AS trades`;

const startUs = '(period * {period_us:Int64})';
const endUs = `(${startUs} + {period_us:Int64})`;
const ends = `fromUnixTimestamp64Micro(${startUs}) AS start_ts, fromUnixTimestamp64Micro(${endUs}) AS end_ts`;
/** The part of a period that the window covers ends here. */
const coveredUs = `least(${endUs}, {end_us:Int64})`;
const gapSeconds = `toDecimal64(arraySum(gap -> greatest(0, least(gap[2], ${coveredUs}) - greatest(gap[1], ${startUs})),
    gaps), 6) / 1000000 AS gap_s`;

const rangeNames = quoteNames.flatMap((quote) => parts.map((part) => `${quote}_${part}`));
const inOrder = 'indexOf({tickers:Array(String)}, ticker), period';

const withObservations = `SELECT ticker, ${ends}, ${rangeNames.join(', ')}, ${noTrades}, observations, ${gapSeconds}
FROM (${observed}) AS observed INNER JOIN (${markets}) AS markets USING (ticker)
ORDER BY ${inOrder}`;

/** The last row of each period, and of the time before the window, which counts as the period before the first. */
const lastRows = `SELECT ticker, greatest(intDiv(${rowUs}, {period_us:Int64}),
      intDiv({start_us:Int64}, {period_us:Int64}) - 1) AS period,
    argMax(tuple(${rowUs}, ${quoteNames.map((name) => quotes[name]).join(', ')}), ts) AS last
  FROM ${storedRows} WHERE ${isTraded} GROUP BY ticker, period`;

/** Every period of a market from its first row on, with the last row at or before its end. */
const periods = `SELECT ticker, trading_end_us, gaps, period, argMaxIf(last, period, last.1 > 0) OVER (
      PARTITION BY ticker ORDER BY period ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last
  FROM (
    SELECT ticker, trading_end_us, gaps, arrayJoin(range(intDiv({start_us:Int64}, {period_us:Int64}) - 1,
      intDiv(least({end_us:Int64}, trading_end_us) - 1, {period_us:Int64}) + 1)) AS period
    FROM (${markets})
  ) AS grid
  LEFT JOIN (${lastRows}) AS lasts USING (ticker, period)`;

/** A row before a gap says nothing about the time after it. */
const isCarried = `NOT arrayExists(gap -> gap[1] < ${coveredUs} AND gap[2] > last.1, gaps)`;

const filledRange = (name: string, place: number): string =>
  parts
    .map((part) => `multiIf(observations > 0, ${name}_${part}, is_carried, last.${place + 2}, NULL) AS ${name}_${part}`)
    .join(', ');

const withEveryPeriod = `SELECT ticker, ${ends}, ${isCarried} AS is_carried,
  ${quoteNames.map(filledRange).join(',\n  ')}, ${noTrades}, observations, ${gapSeconds}
FROM (${periods}) AS periods LEFT JOIN (${observed}) AS observed USING (ticker, period)
WHERE period >= intDiv({start_us:Int64}, {period_us:Int64}) AND last.1 > 0
ORDER BY ${inOrder}`;

export const candleTables = {
  none: { columns, jsonRow, rows: withObservations },
  previous: { columns, jsonRow, rows: withEveryPeriod },
} as const satisfies Record<string, Table>;
