import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type ExportStream, mapNames, venueCandlePrices, venueCandleSizes } from '@almanac/contracts';

/**
 * The content of a column in any format: `time` in microseconds, `price` and `size` with 6 and `amount` with 8 decimals,
 * a `book` as levels of `[price, size]`. A `period` is an integer of 32 bits.
 */
export type Kind = 'text' | 'time' | 'integer' | 'period' | 'price' | 'size' | 'amount' | 'book';

/** A value in the common form of all readers, so that files of any format can be compared. */
export type Cell = string | number | null | readonly (readonly [number, number])[];

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const names = { ticker: 'text', event_ticker: 'text', series: 'text' } as const;
const timed = { ts: 'time', venue_ts: 'time' } as const;
const observed = {
  seq: 'integer',
  yes_best_bid: 'price',
  yes_best_ask: 'price',
  coin_price: 'amount',
} as const;
const sizes = { yes_best_bid_size: 'price', yes_best_ask_size: 'price' } as const;
const books = { orderbook_yes: 'book', orderbook_no: 'book' } as const;
const candled = {
  venue: 'text',
  venue_period_s: 'period',
  start_ts: 'time',
  end_ts: 'time',
  ...mapNames(venueCandlePrices, (): Kind => 'price'),
  ...mapNames(venueCandleSizes, (): Kind => 'size'),
} as const;
const settled = {
  status: 'text',
  result: 'text',
  open_ts: 'time',
  close_ts: 'time',
  floor_strike: 'amount',
  strike_type: 'text',
  coin_price_start: 'amount',
  coin_price_end: 'amount',
  expiration_value: 'amount',
  settlement_ts: 'time',
} as const;
const kinds: Readonly<Record<string, Kind>> = {
  ...names,
  ...timed,
  ...observed,
  ...sizes,
  ...books,
  ...candled,
  ...settled,
};

export const kindOf = (column: string): Kind => {
  const kind = kinds[column];
  if (kind === undefined) throw new Error(`no file has a column ${column}`);
  return kind;
};

/** Whether a file of these streams has a row for each observation. */
export const hasObservations = (streams: readonly ExportStream[]): boolean =>
  streams.some((stream) => stream === 'snapshots' || stream === 'l2' || stream === 'sizes');

/** The columns of a file of these streams, in their order. */
export const columnsOf = (streams: readonly ExportStream[]): string[] =>
  Object.keys({
    ...names,
    ...(hasObservations(streams) || streams.includes('candles') ? timed : {}),
    ...(hasObservations(streams) ? observed : {}),
    ...(streams.includes('sizes') ? sizes : {}),
    ...(streams.includes('l2') ? books : {}),
    ...(streams.includes('candles') ? candled : {}),
    ...(streams.includes('settlement') ? settled : {}),
  });

/** Reports the first cell that differs: a diff of all rows would be as long as the file. */
export const assertSameTable = (found: Table, expected: Table, about: string): void => {
  assert.deepEqual(found.columns, expected.columns, `${about}: columns`);
  assert.equal(found.rows.length, expected.rows.length, `${about}: number of rows`);
  for (const [at, row] of expected.rows.entries()) {
    for (const [column, name] of expected.columns.entries()) {
      const cell = found.rows[at]?.[column];
      if (isDeepStrictEqual(cell, row[column])) continue;
      assert.fail(`${about}: ${name} of row ${at} is ${JSON.stringify(cell)}, not ${JSON.stringify(row[column])}`);
    }
  }
};
