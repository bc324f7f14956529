/**
 * The rows of a day pack or a range: each belongs to one UTC day, so that the packs of all days hold each row once.
 * An observation and a trade belong to the day of their own time. The only row of a market without any belongs to the
 * last day on which the market was open.
 */

/** A condition on `snapshots` or `trades`: rows of these markets from `{from_us}` to `{to_us}`. `tickers` is a subquery. */
export const rowsInWindow = (tickers: string): string => `ticker IN (${tickers})
  AND ts >= fromUnixTimestamp64Micro({from_us:Int64}, 'UTC') AND ts < fromUnixTimestamp64Micro({to_us:Int64}, 'UTC')`;

/** Of `markets`: a time in the last day on which a market was open. It is open just before its close. Null if unknown. */
export const lastOpenTime = 'coalesce(close_us - 1, open_us, settlement_us)';

const opened = 'ifNull(open_us, close_us - 1)';

/**
 * A condition on `markets`: the market was open at some time from `{from_us}` to `{to_us}`. An export uses it only for
 * days that an early release recorded without their markets.
 */
export const wasOpen = `ifNull(${opened} < {to_us:Int64} AND multiIf(close_us IS NOT NULL, greatest(close_us, ${opened} + 1),
  coalesce(venue_status, '') IN ('open', 'active'), {to_us:Int64}, ${opened} + 1) > {from_us:Int64}, false)`;
