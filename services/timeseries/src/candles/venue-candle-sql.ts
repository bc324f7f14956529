/**
 * Venue candles where no observation or trade is stored. A candle of an answer is one of ours or the venue's. Params also: opens_us of
 * each ticker (-1 if unknown), known_us (no later candle had ended), venue_periods (seconds, of which the period is a multiple).
 */
import { venueCandlePrices, venueCandleSizes } from '@almanac/contracts';
import { ofTickers, storedVenueCandles } from '../stored-rows.js';
import type { Columns } from '../tables/table-sql.js';

/** What candles of a market with venue candles have in addition. */
export const venueColumns: Columns = {
  source: 'text',
  venue: 'text',
  venue_period_s: 'whole',
  open_interest: 'decimal',
};

const parts = ['open', 'high', 'low', 'close'] as const;
const quotes = ['yes_bid', 'yes_ask', 'price'] as const;
/** The values of a candle. */
const names = [...venueCandlePrices, ...venueCandleSizes].join(', ');

const market = 'transform(ticker, {tickers:Array(String)}, arrayEnumerate({tickers:Array(String)}), toUInt32(0))';
const dayUs = '86400000000';
/** Neighbours outside of the window say whether a candle at its edge is whole. */
const marginUs = `(${dayUs} + {period_us:Int64})`;

const stated = `SELECT ${market} AS market, source, period_s, toUnixTimestamp64Micro(start_ts) AS s_us,
    toUnixTimestamp64Micro(end_ts) AS e_us, ${names}
  FROM ${storedVenueCandles}
  WHERE ${ofTickers} AND period_s IN {venue_periods:Array(UInt32)} AND e_us <= {known_us:Int64}
    AND e_us > {start_us:Int64} - ${marginUs} AND s_us < {end_us:Int64} + ${marginUs} AND s_us < {ends_us:Array(Int64)}[market]`;

/**
 * A candle continues the one before: it follows at once, or after a time of at most a day in which the venue wrote none because nothing
 * changed. Then its first bid and ask are the last ones of the candle before, no trade is between them, and the open interest moved by
 * no more than its own volume.
 */
const isContinued = `before_us = s_us OR (before_us >= 0 AND before_us < s_us AND s_us - before_us <= ${dayUs}
      AND coalesce(yes_bid_open = before_bid, 0) AND coalesce(yes_ask_open = before_ask, 0)
      AND coalesce(price_previous = before_price, 1) AND coalesce(abs(open_interest - before_interest) <= volume, 1))`;

const inOrder = 'PARTITION BY market, source, period_s ORDER BY e_us';
const linked = `SELECT *, ${isContinued} AS continued
  FROM (
    SELECT *, lagInFrame(e_us, 1, toInt64(-1)) OVER earlier AS before_us,
      lagInFrame(yes_bid_close) OVER earlier AS before_bid, lagInFrame(yes_ask_close) OVER earlier AS before_ask,
      lagInFrame(coalesce(price_close, price_previous)) OVER earlier AS before_price,
      lagInFrame(open_interest) OVER earlier AS before_interest
    FROM (${stated})
    WINDOW earlier AS (${inOrder} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
  )`;

const withNext = `SELECT *, leadInFrame(continued, 1, toUInt8(0)) OVER (${inOrder} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS goes_on
  FROM (${linked})`;

const ranges = quotes
  .flatMap((quote) => [
    `argMin(${quote}_open, s_us) AS ${quote}_open`,
    `max(${quote}_high) AS ${quote}_high`,
    `min(${quote}_low) AS ${quote}_low`,
    `argMax(${quote}_close, s_us) AS ${quote}_close`,
  ])
  .map((one) => one.replace(/\((\w+)/, '(c.$1'))
  .join(', ');

/** Aligned candles of each period. A venue rounds its means, so the mean of several is unknown. */
const summed = `SELECT market, source, period_s, intDiv(s_us, {period_us:Int64}) AS period, ${ranges},
    if(countIf(isNotNull(c.price_mean)) = 1, any(c.price_mean), NULL) AS price_mean,
    tupleElement(argMin(tuple(c.price_previous), s_us), 1) AS price_previous,
    if(countIf(isNull(c.volume)) = 0, sum(c.volume), NULL) AS volume,
    tupleElement(argMax(tuple(c.open_interest), s_us), 1) AS open_interest,
    period * {period_us:Int64} AS start_us, start_us + {period_us:Int64} AS until_us
  FROM (${withNext}) AS c
  WHERE s_us % (toInt64(period_s) * 1000000) = 0 AND {period_us:Int64} % (toInt64(period_s) * 1000000) = 0
  GROUP BY market, source, period_s, period
  HAVING max(e_us) <= {end_us:Int64} AND start_us >= {start_us:Int64}
    AND countIf(continued = 0) = if(argMin(continued, s_us) = 1, 0, 1)
    AND (min(s_us) = start_us OR argMin(continued, s_us) = 1
      OR (argMin(before_us, s_us) < 0 AND {opens_us:Array(Int64)}[market] >= min(s_us)))
    AND (max(e_us) = until_us OR argMax(goes_on, s_us) = 1 OR {ends_us:Array(Int64)}[market] <= max(e_us))`;

/** Days of the venue's own zone, as they are. */
const ownDays = `SELECT market, source, period_s, intDiv(s_us, {period_us:Int64}) AS period, ${names},
    s_us AS start_us, e_us AS until_us
  FROM (${stated})
  WHERE s_us % (toInt64(period_s) * 1000000) != 0 AND {period_us:Int64} = toInt64(period_s) * 1000000
    AND s_us >= {start_us:Int64} AND e_us <= {end_us:Int64}`;

const gapUs = `arraySum(gap -> greatest(0, least(gap[2], least(until_us, {end_us:Int64})) - greatest(gap[1], start_us)),
      {gaps:Array(Array(Array(Int64)))}[market])`;

const nullNames = ['mid', 'coin_price'].flatMap((quote) => parts.map((part) => `NULL AS ${quote}_${part}`)).join(', ');

const venueRows = (candles: string, rank: number, hasGaps: boolean): string =>
  `SELECT {tickers:Array(String)}[market] AS ticker, fromUnixTimestamp64Micro(start_us) AS start_ts,
    fromUnixTimestamp64Micro(until_us) AS end_ts, ${names}, ${nullNames}, NULL AS trades, toUInt64(0) AS observations,
    ${hasGaps ? `reinterpret(toInt64(${gapUs}), 'Decimal(18, 6)')` : 'toDecimal64(0, 6)'} AS gap_s, 'venue' AS source,
    source AS venue, period_s AS venue_period_s, toUInt64(market) AS market, toInt64(period) AS period, toUInt8(${rank}) AS rank
  FROM (SELECT * FROM (${candles}))`;

/** Of one period: a candle of ours, one of the venue's periods, a day of the venue, and last the repeated values of ours. */
export const withVenueCandles = (ours: string, columns: readonly string[], hasGaps: boolean): string => {
  const shown = columns.join(', ');
  const all = [...columns, 'market', 'period', 'rank'].join(', ');
  return `SELECT ${shown} FROM (
  SELECT *, leadInFrame(start_ts) OVER later AS next_ts, leadInFrame(rank, 1, toUInt8(3)) OVER later AS next_rank
  FROM (
    SELECT ${all} FROM (
      SELECT ${all} FROM (
        SELECT *, 'recorded' AS source, NULL AS venue, NULL AS venue_period_s, NULL AS open_interest,
          toUInt64(indexOf({tickers:Array(String)}, ticker)) AS market,
          intDiv(toUnixTimestamp64Micro(start_ts), {period_us:Int64}) AS period,
          if(observations > 0 OR trades > 0, toUInt8(0), toUInt8(3)) AS rank
        FROM (${ours})
      )
      UNION ALL SELECT ${all} FROM (${venueRows(summed, 1, hasGaps)})
      UNION ALL SELECT ${all} FROM (${venueRows(ownDays, 2, hasGaps)})
    )
    ORDER BY market, period, rank, venue_period_s DESC, venue
    LIMIT 1 BY market, period
  )
  WINDOW later AS (PARTITION BY market ORDER BY start_ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
)
WHERE rank != 2 OR next_rank >= 2 OR next_ts >= end_ts
ORDER BY market, start_ts`;
};
