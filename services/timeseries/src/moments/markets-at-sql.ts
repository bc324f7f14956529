import { fieldKinds, type ObservationField } from '@almanac/contracts';
import { ofTickers, rowUs, storedRows } from '../stored-rows.js';
import type { Table } from '../tables/table-sql.js';

/**
 * The last row of each market between two moments that follow each other. So the join has at most one row for each
 * pair, however many are stored. `roundDown` finds the moment of a row by binary search, in negative times because it
 * must be the next moment and not the one before.
 */
const lastRows = (fields: readonly ObservationField[]): string => `SELECT ticker, max(${rowUs}) AS row_us,
    argMax(tuple(${rowUs}, ${fields.join(', ')}), ts) AS row
  FROM ${storedRows}
  WHERE ${ofTickers} AND ts <= fromUnixTimestamp64Micro({last_us:Int64})
  GROUP BY ticker, roundDown(-${rowUs}, {negative_us:Array(Int64)})`;

/** A pair and the time from which rows say something about it. No gap matters if `from_us` is empty. */
const pairs = `SELECT number AS place,
    {tickers:Array(String)}[1 + intDiv(number, length({at_us:Array(Int64)}))] AS pair_ticker,
    {at_us:Array(Int64)}[1 + number % length({at_us:Array(Int64)})] AS pair_us,
    {from_us:Array(Int64)}[1 + number] AS pair_from_us
  FROM numbers(length({tickers:Array(String)}) * length({at_us:Array(Int64)}))`;

/**
 * One row for each pair of a market and a moment. Params: tickers, at_us, from_us, last_us (the last moment),
 * negative_us (the moments, negative and in ascending order).
 */
export const marketsAtTable = (fields: readonly ObservationField[]): Table => {
  const isKnown = 'found.row_us > 0 AND found.row_us >= pair_from_us';
  const values = fields.map((name, at) => `if(is_known, toNullable(found.row.${at + 2}), NULL) AS ${name}`);
  return {
    columns: {
      ticker: 'text',
      at_ts: 'time',
      ts: 'time',
      age_ms: 'whole',
      ...Object.fromEntries(fields.map((name) => [name, fieldKinds[name]])),
    },
    rows: `SELECT pair_ticker AS ticker, fromUnixTimestamp64Micro(pair_us) AS at_ts, ${isKnown} AS is_known,
  if(is_known, fromUnixTimestamp64Micro(found.row_us), NULL) AS ts,
  if(is_known, toDecimal64(pair_us - found.row_us, 3) / 1000, NULL) AS age_ms,
  ${values.join(',\n  ')}
FROM (${pairs}) AS pairs
ASOF LEFT JOIN (${lastRows(fields)}) AS found ON pair_ticker = found.ticker AND pair_us >= found.row_us
ORDER BY place`,
  };
};
