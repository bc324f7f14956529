import { bookColumns, observationColumns, sizeFields } from '@almanac/contracts';
import { coinPricesIn, isSoonAfter, rowsInWindow } from '@almanac/clickhouse';

/** The columns of `snapshots` that a join leaves as they are. A test compares the list with the table. */
const otherColumns = [...observationColumns, ...sizeFields, ...bookColumns].filter(
  (name) => name !== 'coin_price' && name !== 'coin_price_age_us',
);

/** All columns of `snapshots`, as `joinedRows` selects them. */
export const joinedColumns = [...otherColumns, 'coin_price', 'coin_price_age_us', 'coin_price_joined'] as const;

const inTime = `ts >= fromUnixTimestamp64Micro({from_us:Int64}, 'UTC') AND ts < fromUnixTimestamp64Micro({to_us:Int64}, 'UTC')`;

/** Of some markets: the rows whose coin price is missing, or is another one of `coin_prices` than the last at or before them. */
const changedRows = `FROM (SELECT *, {coin:String} AS coin FROM snapshots FINAL WHERE ${rowsInWindow('{tickers:Array(String)}')}) AS stored
  ASOF JOIN ${coinPricesIn} AS found ON stored.coin = found.coin AND stored.ts >= found.ts
  WHERE (coin_price IS NULL OR coin_price_joined) AND ${isSoonAfter('stored.ts', 'found.ts')}
    AND (coin_price IS NULL OR coin_price != found.price)`;

/** How many rows of each market the join changes, and their first and last time. */
export const changesSql = `SELECT ticker, toUInt32(count()) AS rows, toString(toUnixTimestamp64Micro(min(stored.ts))) AS min_us,
  toString(toUnixTimestamp64Micro(max(stored.ts))) AS max_us ${changedRows} GROUP BY ticker ORDER BY ticker`;

export const joinedRows = `SELECT ${otherColumns.map((name) => `stored.${name}`).join(', ')}, found.price,
  toUnixTimestamp64Micro(stored.ts) - toUnixTimestamp64Micro(found.ts), true ${changedRows}`;

/** The next markets of the coin with rows in the time, by ticker. The table is sorted by it, so the limit ends the read. */
export const tickersSql = (ofCoin: string): string => `SELECT DISTINCT ticker FROM snapshots
  WHERE ticker > {after:String} AND ${ofCoin} AND ${inTime} ORDER BY ticker LIMIT {limit:UInt32}`;
