/**
 * Candles of several markets in one query. Params: tickers, ends_us (of trading), until_us (no candle begins at or after it)
 * and gaps (pairs) of each ticker, the tickers of which trades are stored (traded), start_us, end_us, period_us.
 */
import { ofTickers, rowUs, storedRows, storedTrades } from '../stored-rows.js';
import type { Columns, Table } from '../tables/table-sql.js';
import { venueColumns, withVenueCandles } from './venue-candle-sql.js';

/** The middle of two prices needs one more digit. */
const half = (sum: string): string => `toDecimal64(${sum}, 7) / 2`;
const quotes = {
  yes_bid: 'yes_best_bid',
  yes_ask: 'yes_best_ask',
  mid: half('yes_best_bid + yes_best_ask'),
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

/** The place of a row's market in the request, from 1. Groups of numbers cost less than groups of texts. */
const market = 'transform(ticker, {tickers:Array(String)}, arrayEnumerate({tickers:Array(String)}), toUInt32(0))';
const tickerOfMarket = '{tickers:Array(String)}[market]';
const tradingEndUs = '{ends_us:Array(Int64)}[market]';
const gapsOfMarket = '{gaps:Array(Array(Array(Int64)))}[market]';

/** Before the end of the window and of trading. */
const isBeforeEnd = `ts < fromUnixTimestamp64Micro({end_us:Int64}) AND ${rowUs} < ${tradingEndUs}`;
const fromStart = 'ts >= fromUnixTimestamp64Micro({start_us:Int64})';

/** First, highest, lowest and last value that is not null. The middle is computed of these and not of every row. */
const rangeOf = (name: (typeof quoteNames)[number]): string => {
  const [value, shown] = name === 'mid' ? ['both', half] : [quotes[name], (found: string) => found];
  const found = [`argMin(${value}, ts)`, `max(${value})`, `min(${value})`, `argMax(${value}, ts)`];
  return parts.map((part, at) => `${shown(found[at] ?? '')} AS ${name}_${part}`).join(', ');
};

/** One row for each period with observations. */
const observed = `SELECT market, intDiv(${rowUs}, {period_us:Int64}) AS period, count() AS observations,
    ${quoteNames.map(rangeOf).join(',\n    ')}
  FROM (
    SELECT ${market} AS market, ts, yes_best_bid, yes_best_ask, yes_best_bid + yes_best_ask AS both, coin_price
    FROM ${storedRows} WHERE ${ofTickers} AND ${isBeforeEnd} AND ${fromStart}
  )
  GROUP BY market, period`;

const firstPeriod = 'intDiv({start_us:Int64}, {period_us:Int64})';
/** The time before the window counts as the period before the first. */
const periodOrBefore = `greatest(intDiv(${rowUs}, {period_us:Int64}), ${firstPeriod} - 1)`;

/**
 * One row for each period with trades. Trades of one time follow each other by id, as in GET /markets/{ticker}/trades.
 * The mean has the digits of a price.
 */
const traded = `SELECT ${market} AS market, ${periodOrBefore} AS period, count() AS trades_n, sum(size) AS traded_size,
    toNullable(argMin(price, (ts, trade_id))) AS price_open, toNullable(argMax(price, (ts, trade_id))) AS price_close,
    toNullable(max(price)) AS price_high, toNullable(min(price)) AS price_low,
    toNullable(toDecimal64(round(sum(toDecimal256(price, 6) * size) / sum(size), 6), 6)) AS price_mean
  FROM ${storedTrades} WHERE ticker IN {traded:Array(String)} AND ${isBeforeEnd} GROUP BY market, period`;

/** The last row of each period. */
const lastRows = `SELECT ${market} AS market, ${periodOrBefore} AS period,
    argMax(tuple(${rowUs}, ${quoteNames.map((name) => quotes[name]).join(', ')}), ts) AS last
  FROM ${storedRows} WHERE ${ofTickers} AND ${isBeforeEnd} GROUP BY market, period`;

/** The period before the first and every period of a market that may have a candle. */
const grid = `SELECT market, arrayJoin(range(${firstPeriod} - 1,
    intDiv(least({end_us:Int64}, {until_us:Array(Int64)}[market]) - 1, {period_us:Int64}) + 1)) AS period
  FROM (SELECT arrayJoin(arrayEnumerate({tickers:Array(String)})) AS market)`;

const earlier = (frame: string): string =>
  `OVER (PARTITION BY market ORDER BY period ROWS BETWEEN UNBOUNDED PRECEDING AND ${frame})`;
const withPrevious = `anyLast(price_close) ${earlier('1 PRECEDING')} AS price_previous`;
const withLast = `argMaxIf(last, period, last.1 > 0) ${earlier('CURRENT ROW')} AS last`;
const tradeColumns = ['trades_n', 'traded_size', ...parts.map((part) => `price_${part}`), 'price_mean'].join(', ');

const joinTraded = `LEFT JOIN (${traded}) AS traded USING (market, period)`;
const joinLast = `LEFT JOIN (${lastRows}) AS lasts USING (market, period)`;

const startUs = '(period * {period_us:Int64})';
const endUs = `(${startUs} + {period_us:Int64})`;
const ends = `fromUnixTimestamp64Micro(${startUs}) AS start_ts, fromUnixTimestamp64Micro(${endUs}) AS end_ts`;
/** The part of a period that the window covers ends here. */
const coveredUs = `least(${endUs}, {end_us:Int64})`;
/** The microseconds are the digits of the decimal. Scaled before a division, those of a gap of 107 days would be too many. */
const gapSeconds = `reinterpret(toInt64(arraySum(gap -> greatest(0, least(gap[2], ${coveredUs})
    - greatest(gap[1], ${startUs})), gaps)), 'Decimal(18, 6)') AS gap_s`;

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
const filledRanges = (hasGaps: boolean): string =>
  `${hasGaps ? isCarried : '1'} AS is_carried, ${quoteNames.map(filledRange).join(',\n  ')}`;

/** Reading the lists of gaps takes a tenth of the query, also if they are empty. */
const columnsOf = (ranges: string, trades: string, hasGaps: boolean): string =>
  [
    `${tickerOfMarket} AS ticker`,
    ends,
    ...(hasGaps ? [`${gapsOfMarket} AS gaps`] : []),
    ranges,
    trades,
    'observations',
    hasGaps ? gapSeconds : 'toDecimal64(0, 6) AS gap_s',
  ].join(', ');

/** Candles of every period that fits the condition. `figures` and `joins` are those of each period. */
const everyPeriod = (columnNames: string, [figures, joins]: readonly [string, string], condition: string): string =>
  `SELECT ${columnNames}
FROM (
  SELECT market, period, ${figures} FROM (${grid}) AS grid ${joins}
) AS periods LEFT JOIN (${observed}) AS observed USING (market, period)
WHERE period >= ${firstPeriod} AND (${condition})
ORDER BY market, period`;

const tradeFigures = `${tradeColumns}, ${withPrevious}`;

export interface CandleKind {
  readonly fill: 'none' | 'previous';
  /** Whether any of the markets has stored trades. */
  readonly isTraded: boolean;
  /** Whether any of them has a gap in the window. */
  readonly hasGaps: boolean;
  /** Whether any of them has venue candles. */
  readonly hasVenue: boolean;
}

/** What has no trades or gaps is left out of the statement, which answers the same in less time. */
const rowsOf = ({ fill, isTraded, hasGaps }: CandleKind): string => {
  const trades = isTraded ? ownTrades : noTrades;
  if (fill === 'previous') {
    const [figures, joins] = isTraded
      ? [`${tradeFigures}, ${withLast}`, `${joinTraded} ${joinLast}`]
      : [withLast, joinLast];
    const condition = isTraded ? 'last.1 > 0 OR trades_n > 0 OR isNotNull(price_previous)' : 'last.1 > 0';
    return everyPeriod(columnsOf(filledRanges(hasGaps), trades, hasGaps), [figures, joins], condition);
  }
  const columnNames = columnsOf(ownRanges, trades, hasGaps);
  return isTraded
    ? everyPeriod(columnNames, [tradeFigures, joinTraded], 'observations > 0 OR trades_n > 0')
    : `SELECT ${columnNames}\nFROM (${observed})\nORDER BY market, period`;
};

export const candleTable = (kind: CandleKind): Table => {
  const ours = rowsOf(kind);
  if (!kind.hasVenue) return { columns, jsonRow, rows: ours };
  const all = { ...columns, ...venueColumns };
  const venueRow = Object.keys(venueColumns).map(flat).join(',');
  return {
    columns: all,
    jsonRow: `${jsonRow},${venueRow}`,
    rows: withVenueCandles(ours, Object.keys(all), kind.hasGaps),
  };
};
