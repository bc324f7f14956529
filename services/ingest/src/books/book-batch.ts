import type { ObservationBatch } from '../archive.js';
import { BatchedRows } from '../intake/batched-rows.js';
import { NativeBlock } from '../intake/native-block.js';
import { NumberColumn } from '../intake/number-column.js';
import { batchBytesMax, type BatchedMarket } from '../intake/observation-batch.js';
import type { Bids } from '../model/book.js';
import { type BookRow, bookRowDigest } from '../model/book-row.js';
import { scaledOf } from '../values/scaled.js';
import { decimalsMax } from '../values/stored-values.js';

const rowsMax = 12_000;
/** Of a row without its levels: the numbers below, their nulls, the market, and the ends of its lists. */
const rowBytes = 72;
const levelBytes = 12;
const two32 = 2 ** 32;

const microseconds = { type: "DateTime64(6, 'UTC')", bytes: 8, as: 'us' } as const;
const price = { type: 'Decimal(9, 6)', bytes: 4, as: decimalsMax.price, isNullable: true } as const;
const forms = {
  us: { column: 'ts', ...microseconds, isNullable: false },
  venueUs: { column: 'venue_ts', ...microseconds, isNullable: true },
  seq: { column: 'seq', type: 'UInt64', bytes: 8, as: 'integer', isNullable: true },
  bid: { column: 'yes_best_bid', ...price },
  ask: { column: 'yes_best_ask', ...price },
  coinPrice: { column: 'coin_price', type: 'Decimal(18, 8)', bytes: 8, as: decimalsMax.value, isNullable: true },
  coinAgeUs: { column: 'coin_price_age_us', type: 'Int64', bytes: 8, as: 'integer', isNullable: true },
} as const;

/** Collects whole books as columns. A level is 12 bytes, and no text is made of it. */
export class BookBatch {
  private readonly rows = new BatchedRows(rowsMax);
  private readonly us = new NumberColumn(forms.us, rowsMax);
  private readonly venueUs = new NumberColumn(forms.venueUs, rowsMax);
  private readonly seq = new NumberColumn(forms.seq, rowsMax);
  private readonly bid = new NumberColumn(forms.bid, rowsMax);
  private readonly ask = new NumberColumn(forms.ask, rowsMax);
  private readonly coinPrice = new NumberColumn(forms.coinPrice, rowsMax);
  private readonly coinAgeUs = new NumberColumn(forms.coinAgeUs, rowsMax);
  private readonly yes = new LevelLists();
  private readonly no = new LevelLists();

  /** Returns whether the batch is full and must be taken first. */
  add(market: BatchedMarket, row: BookRow): boolean {
    const { rows, yes, no } = this;
    const { book, us } = row;
    const at = rows.count;
    this.us.put(at, us);
    putOrNull(this.venueUs, at, row.venueUs);
    putOrNull(this.seq, at, row.seq);
    putOrNull(this.bid, at, book.bid());
    putOrNull(this.ask, at, book.ask());
    putOrNull(this.coinAgeUs, at, row.coinAgeUs);
    if (row.coinPrice === null) this.coinPrice.putNull(at);
    else this.coinPrice.putExact(at, scaledOf(row.coinPrice, decimalsMax.value));
    yes.add(at, book.bids('yes'));
    no.add(at, book.bids('no'));
    rows.add(market, us, { key: us, values: bookRowDigest(row, book.digest()) });
    const bytes = rows.count * rowBytes + levelBytes * (yes.count + no.count) + rows.textsBytes;
    return rows.count >= rowsMax || bytes >= batchBytesMax;
  }

  take(): ObservationBatch | null {
    if (this.rows.count === 0) return null;
    const body = this.body();
    for (const column of this.columns()) column.empty();
    this.yes.count = 0;
    this.no.count = 0;
    return { columns: 'l2', format: 'native', body, ...this.rows.take() };
  }

  private body(): Buffer {
    const { count } = this.rows;
    const block = new NativeBlock(count);
    this.rows.writeTo(block);
    for (const column of this.columns()) column.writeTo(block, count);
    block.numbers('has_book', 'Bool', new Uint8Array(count).fill(1));
    this.yes.writeTo(block, 'orderbook_yes', count);
    this.no.writeTo(block, 'orderbook_no', count);
    return block.bytes();
  }

  private columns(): readonly NumberColumn[] {
    return [this.us, this.venueUs, this.seq, this.bid, this.ask, this.coinPrice, this.coinAgeUs];
  }
}

const putOrNull = (column: NumberColumn, row: number, value: number | null): void => {
  if (value === null) column.putNull(row);
  else if (value < 0) column.putExact(row, BigInt(value));
  else column.put(row, value);
};

const levelsFirst = 65_536;

/** One side of the books of a batch. */
class LevelLists {
  count = 0;
  /** The low and the high half of where the levels of each row end. */
  private readonly ends = new Int32Array(2 * rowsMax);
  private prices = new Int32Array(levelsFirst);
  /** The low and the high half of each size. */
  private sizes = new Int32Array(2 * levelsFirst);

  add(row: number, { prices, sizes, count }: Bids): void {
    if (this.count + count > this.prices.length) this.grow(count);
    const { prices: toPrices, sizes: toSizes } = this;
    let at = this.count;
    for (let level = 0; level < count; level += 1, at += 1) {
      const size = sizes[level] ?? 0;
      toPrices[at] = prices[level] ?? 0;
      toSizes[2 * at] = size;
      toSizes[2 * at + 1] = size / two32;
    }
    this.count = at;
    this.ends[2 * row] = at;
  }

  writeTo(block: NativeBlock, name: string, rows: number): void {
    const fields = [this.prices.subarray(0, this.count), this.sizes.subarray(0, 2 * this.count)];
    block.lists(name, 'Array(Tuple(Decimal(9, 6), Decimal(18, 6)))', this.ends.subarray(0, 2 * rows), fields);
  }

  private grow(by: number): void {
    const capacity = 2 * (this.count + by);
    const [prices, sizes] = [new Int32Array(capacity), new Int32Array(2 * capacity)];
    prices.set(this.prices);
    sizes.set(this.sizes);
    this.prices = prices;
    this.sizes = sizes;
  }
}
