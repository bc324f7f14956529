/**
 * The rule of day packs, for the catalogue, which finds the events to pay for, and for exports, which select the rows.
 * Each stored row of a series is in the pack of the UTC day of its own time, and in no other. So a row after the close
 * at midnight is in the pack of the day that begins then. A market is in the pack of each day on which it was open or
 * has rows.
 */
const opened = 'ifNull(open_us, close_us - 1)';

/**
 * A condition on `markets`: the market was open at some time from `from` (inclusive) to `to` (exclusive), both SQL
 * expressions of microseconds. A market was open at its open time and just before its close, and is still open if the
 * venue says so. At other times only a stored row shows that it was open.
 */
export const wasOpen = (from: string, to: string): string =>
  `ifNull(${opened} < ${to} AND multiIf(close_us IS NOT NULL, greatest(close_us, ${opened} + 1),
  coalesce(venue_status, '') IN ('open', 'active'), ${to}, ${opened} + 1) > ${from}, false)`;

/** A condition on `snapshots`: rows of these markets from `{from_us}` to `{to_us}`. `tickers` is a subquery. */
export const rowsInWindow = (tickers: string): string => `ticker IN (${tickers})
  AND ts >= fromUnixTimestamp64Micro({from_us:Int64}, 'UTC') AND ts < fromUnixTimestamp64Micro({to_us:Int64}, 'UTC')`;
