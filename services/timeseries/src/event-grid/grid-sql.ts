/**
 * Markets on one grid of times. Params: tickers and gaps (pairs) of each ticker, first_us, step_us, times, last_us (the
 * last grid time), from_us (earlier rows do not count).
 *
 * One pass over the rows gives an array for each market, with the last row of each step at the place of the grid time
 * that ends the step. Rows before the grid are at its first place. Without a join, and with memory for the answer only.
 */
import { ofTickers, rowUs, storedRows } from '../stored-rows.js';
import type { Table } from '../tables/table-sql.js';

const noRow = `tuple(toInt64(0), CAST(NULL AS Nullable(Decimal(9, 6))), CAST(NULL AS Nullable(Decimal(9, 6))))`;
const place = `toUInt32(greatest(0, intDiv(${rowUs} - {first_us:Int64} + {step_us:Int64} - 1, {step_us:Int64})))`;
const timeOf = '({first_us:Int64} + at * {step_us:Int64})';

const cellsOfRows = `SELECT ticker, groupArrayInsertAt(${noRow}, {times:UInt32})(cell, at) AS cells
  FROM (
    SELECT ticker, ${place} AS at, argMax(tuple(${rowUs}, yes_best_bid, yes_best_ask), ts) AS cell
    FROM ${storedRows} WHERE ${ofTickers}
      AND ts > fromUnixTimestamp64Micro({from_us:Int64}) AND ts <= fromUnixTimestamp64Micro({last_us:Int64})
    GROUP BY ticker, at
  )
  GROUP BY ticker`;

const markets = `SELECT market.1 AS ticker, market.2 AS gaps
  FROM (SELECT arrayJoin(arrayZip({tickers:Array(String)}, {gaps:Array(Array(Array(Int64)))})) AS market)`;

type Fill = 'previous' | 'none';

/** A row says nothing about a time after the start of a gap that follows it. */
const withoutGaps = (cells: string): string => `arrayMap((cell, at) ->
    if(arrayExists(gap -> gap[1] < ${timeOf} AND gap[2] > cell.1, gaps), ${noRow}, cell), ${cells}, range({times:UInt32}))`;

const cellsOf = (fill: Fill): string => {
  const sized = `arrayResize(cells, {times:UInt32}, ${noRow})`;
  return withoutGaps(fill === 'previous' ? `arrayFill(cell -> cell.1 > 0, ${sized})` : sized);
};

const columnsOfMarkets = (fill: Fill): string => `SELECT ticker, cells.2 AS yes_best_bid, cells.3 AS yes_best_ask,
  arrayMap((cell, at) -> if(cell.1 = 0, NULL, toDecimal64(${timeOf} - cell.1, 3) / 1000), cells, range({times:UInt32}))
    AS age_ms
FROM (
  SELECT ticker, ${cellsOf(fill)} AS cells
  FROM (${markets}) AS markets LEFT JOIN (${cellsOfRows}) AS found USING (ticker)
)
ORDER BY indexOf({tickers:Array(String)}, ticker)`;

/** One row for each market, with arrays. */
const arrays = (fill: Fill): Table => ({
  columns: { ticker: 'text', yes_best_bid: 'whole', yes_best_ask: 'whole', age_ms: 'whole' },
  rows: columnsOfMarkets(fill),
});

/** One row for each market and time. */
const rowsOfTimes = (fill: Fill): Table => ({
  columns: { ts: 'time', ticker: 'text', yes_best_bid: 'decimal', yes_best_ask: 'decimal', age_ms: 'whole' },
  rows: `SELECT fromUnixTimestamp64Micro(${timeOf}) AS ts, ticker, bid AS yes_best_bid, ask AS yes_best_ask, age AS age_ms
FROM (${columnsOfMarkets(fill)})
ARRAY JOIN range({times:UInt32}) AS at, yes_best_bid AS bid, yes_best_ask AS ask, age_ms AS age`,
});

export const gridTables = {
  arrays: { previous: arrays('previous'), none: arrays('none') },
  rows: { previous: rowsOfTimes('previous'), none: rowsOfTimes('none') },
} as const;
