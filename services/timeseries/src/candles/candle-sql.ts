/**
 * Candles of several markets in one query. Params: tickers, ends_us (of trading) and gaps (pairs) of each ticker, the
 * tickers of which trades are stored (traded), start_us, end_us, period_us.
 */
import { ofTickers, rowUs, storedRows, storedTrades } from '../stored-rows.js';
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

/** Before the end of the window and of trading. */
const isBeforeEnd = `ts < fromUnixTimestamp64Micro({end_us:Int64})
    AND ${rowUs} < transform(ticker, {tickers:Array(String)}, {ends_us:Array(Int64)}, toInt64(0))`;
const fromStart = 'ts >= fromUnixTimestamp64Micro({start_us:Int64})';

const rangeOf = (name: string): string => `argMinIf(${name}, row_us, isNotNull(${name})) AS ${name}_open,
    max(${name}) AS ${name}_high, min(${name}) AS ${name}_low, argMaxIf(${name}, row_us, isNotNull(${name})) AS ${name}_close`;

/** One row for each period with observations. */
const observed = `SELECT ticker, intDiv(row_us, {period_us:Int64}) AS period, count() AS observations,
    ${quoteNames.map(rangeOf).join(',\n    ')}
  FROM (
    SELECT ticker, ${rowUs} AS row_us, ${quoteNames.map((name) => `${quotes[name]} AS ${name}`).join(', ')}
    FROM ${storedRows} WHERE ${ofTickers} AND ${isBeforeEnd} AND ${fromStart}
  )
  GROUP BY ticker, period`;

const firstPeriod = 'intDiv({start_us:Int64}, {period_us:Int64})';
/** The time before the window counts as the period before the first. */
const periodOrBefore = `greatest(intDiv(${rowUs}, {period_us:Int64}), ${firstPeriod} - 1)`;

/**
 * One row for each period with trades. Trades of one time follow each other by id, as in GET /markets/{ticker}/trades.
 * The mean has the digits of a price.
 */
const traded = `SELECT ticker, ${periodOrBefore} AS period, count() AS trades_n, sum(size) AS traded_size,
    toNullable(argMin(price, (ts, trade_id))) AS price_open, toNullable(argMax(price, (ts, trade_id))) AS price_close,
    toNullable(max(price)) AS price_high, toNullable(min(price)) AS price_low,
    toNullable(toDecimal64(round(sum(toDecimal256(price, 6) * size) / sum(size), 6), 6)) AS price_mean
  FROM ${storedTrades} WHERE ticker IN {traded:Array(String)} AND ${isBeforeEnd} GROUP BY ticker, period`;

/** The last row of each period. */
const lastRows = `SELECT ticker, ${periodOrBefore} AS period,
    argMax(tuple(${rowUs}, ${quoteNames.map((name) => quotes[name]).join(', ')}), ts) AS last
  FROM ${storedRows} WHERE ${ofTickers} AND ${isBeforeEnd} GROUP BY ticker, period`;

/** The period before the first and every period of a market until trading ends. */
const grid = `SELECT ticker, gaps, arrayJoin(range(${firstPeriod} - 1,
    intDiv(least({end_us:Int64}, trading_end_us) - 1, {period_us:Int64}) + 1)) AS period
  FROM (${markets})`;

const earlier = (frame: string): string =>
  `OVER (PARTITION BY ticker ORDER BY period ROWS BETWEEN UNBOUNDED PRECEDING AND ${frame})`;
const withPrevious = `anyLast(price_close) ${earlier('1 PRECEDING')} AS price_previous`;
const withLast = `argMaxIf(last, period, last.1 > 0) ${earlier('CURRENT ROW')} AS last`;
const tradeColumns = ['trades_n', 'traded_size', ...parts.map((part) => `price_${part}`), 'price_mean'].join(', ');

const joinTraded = `LEFT JOIN (${traded}) AS traded USING (ticker, period)`;
const joinLast = `LEFT JOIN (${lastRows}) AS lasts USING (ticker, period)`;

const startUs = '(period * {period_us:Int64})';
const endUs = `(${startUs} + {period_us:Int64})`;
const ends = `fromUnixTimestamp64Micro(${startUs}) AS start_ts, fromUnixTimestamp64Micro(${endUs}) AS end_ts`;
/** The part of a period that the window covers ends here. */
const coveredUs = `least(${endUs}, {end_us:Int64})`;
const gapSeconds = `toDecimal64(arraySum(gap -> greatest(0, least(gap[2], ${coveredUs}) - greatest(gap[1], ${startUs})),
    gaps), 6) / 1000000 AS gap_s`;

/** A market without stored trades has no volume. That no trade was stored does not show that none took place. */
const hasTrades = 'has({traded:Array(String)}, ticker)';
const ownTrades = `${priceParts.map((part) => `price_${part}`).join(', ')},
  if(${hasTrades}, traded_size, NULL) AS volume, if(${hasTrades}, trades_n, NULL) AS trades`;
const noTrades = `${priceParts.map((part) => `CAST(NULL AS Nullable(Decimal(9, 6))) AS price_${part}`).join(', ')},
  CAST(NULL AS Nullable(Decimal(38, 6))) AS volume, CAST(NULL AS Nullable(UInt64)) AS trades`;

const ownRanges = quoteNames.flatMap((quote) => parts.map((part) => `${quote}_${part}`)).join(', ');

/** A row before a gap says nothing about the time after it. */
const isCarried = `NOT arrayExists(gap -> gap[1] < ${coveredUs} AND gap[2] > last.1, gaps)`;
const filledRange = (name: string, place: number): string =>
  parts
    .map((part) => `multiIf(observations > 0, ${name}_${part}, is_carried, last.${place + 2}, NULL) AS ${name}_${part}`)
    .join(', ');
const filledRanges = `${isCarried} AS is_carried, ${quoteNames.map(filledRange).join(',\n  ')}`;

const inOrder = 'indexOf({tickers:Array(String)}, ticker), period';
const columnsOf = (ranges: string, trades: string): string =>
  `ticker, ${ends}, ${ranges}, ${trades}, observations, ${gapSeconds}`;

/** Candles of every period that fits the condition. `figures` and `joins` are those of each period. */
const everyPeriod = (columnNames: string, [figures, joins]: readonly [string, string], condition: string): string =>
  `SELECT ${columnNames}
FROM (
  SELECT ticker, gaps, period, ${figures} FROM (${grid}) AS grid ${joins}
) AS periods LEFT JOIN (${observed}) AS observed USING (ticker, period)
WHERE period >= ${firstPeriod} AND (${condition})
ORDER BY ${inOrder}`;

const tradeFigures = `${tradeColumns}, ${withPrevious}`;

/** Without trades of any of the markets, the plain ones answer the same as the traded ones in less time. */
const rows = {
  none: {
    plain: `SELECT ${columnsOf(ownRanges, noTrades)}
FROM (${observed}) AS observed INNER JOIN (${markets}) AS markets USING (ticker)
ORDER BY ${inOrder}`,
    traded: everyPeriod(
      columnsOf(ownRanges, ownTrades),
      [tradeFigures, joinTraded],
      'observations > 0 OR trades_n > 0',
    ),
  },
  previous: {
    plain: everyPeriod(columnsOf(filledRanges, noTrades), [withLast, joinLast], 'last.1 > 0'),
    traded: everyPeriod(
      columnsOf(filledRanges, ownTrades),
      [`${tradeFigures}, ${withLast}`, `${joinTraded} ${joinLast}`],
      'last.1 > 0 OR trades_n > 0 OR isNotNull(price_previous)',
    ),
  },
} as const;

export const candleTable = (fill: keyof typeof rows, isTraded: boolean): Table => ({
  columns,
  jsonRow,
  rows: rows[fill][isTraded ? 'traded' : 'plain'],
});
