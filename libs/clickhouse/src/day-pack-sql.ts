/**
 * The rows of a day pack or a range: each belongs to one UTC day, so that the packs of all days hold each row once.
 * An observation and a trade belong to the day of their own time, and a venue candle to that of its start. The only row
 * of a market without any belongs to the last day on which the market was open.
 */
import type { RowTable } from '@almanac/contracts';

/** Of each table: the time at which a row is known, and the one whose UTC day has the row. Both are equal for most rows. */
export const rowTimes: Readonly<Record<RowTable, { readonly known: string; readonly day: string }>> = {
  snapshots: { known: 'ts', day: 'ts' },
  trades: { known: 'ts', day: 'ts' },
  // A candle that ends at midnight is of the day that it summarises.
  venue_candles: { known: 'end_ts', day: 'start_ts' },
};

/** A condition on a table: rows of these markets of the days from `{from_us}` to `{to_us}`. `tickers` is a subquery. */
export const rowsInWindow = (tickers: string, table: RowTable = 'snapshots'): string => {
  const { day } = rowTimes[table];
  return `ticker IN (${tickers})
  AND ${day} >= fromUnixTimestamp64Micro({from_us:Int64}, 'UTC') AND ${day} < fromUnixTimestamp64Micro({to_us:Int64}, 'UTC')`;
};

/** A condition on a table: rows that were known at `{as_of_us}`. */
export const rowsKnown = (table: RowTable): string =>
  `${rowTimes[table].known} <= fromUnixTimestamp64Micro({as_of_us:Int64}, 'UTC')`;

/** Of `markets`: a time in the last day on which a market was open. It is open just before its close. Null if unknown. */
export const lastOpenTime = 'coalesce(close_us - 1, open_us, settlement_us)';

const opened = 'ifNull(open_us, close_us - 1)';

/**
 * A condition on `markets`: the market was open at some time from `{from_us}` to `{to_us}`. An export uses it only for
 * days that an early release recorded without their markets.
 */
export const wasOpen = `ifNull(${opened} < {to_us:Int64} AND multiIf(close_us IS NOT NULL, greatest(close_us, ${opened} + 1),
  coalesce(venue_status, '') IN ('open', 'active'), {to_us:Int64}, ${opened} + 1) > {from_us:Int64}, false)`;
