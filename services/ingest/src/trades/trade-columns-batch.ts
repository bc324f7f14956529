import type { ObservationBatch } from '../archive.js';
import { BatchedRows } from '../intake/batched-rows.js';
import { NativeBlock } from '../intake/native-block.js';
import { NumberColumn, type NumberForm, writeNothing } from '../intake/number-column.js';
import { batchBytesMax, type BatchedMarket, escaped } from '../intake/observation-batch.js';
import type { Side } from '../model/feed-message.js';
import type { Trade } from '../model/trade.js';
import { emptyCell } from '../sources/cells.js';
import { bytesDigest } from '../values/bytes-digest.js';
import { scaledOf } from '../values/scaled.js';
import { decimalsMax } from '../values/stored-values.js';

/** A trade whose cells are all plain. Times without a value are `emptyCell`, decimals are integers of their last place. */
export interface PlainTrade {
  /** Printable ASCII without a backslash. */
  id: string;
  venueUs: number;
  receivedUs: number;
  price: number;
  size: number;
  side: Side | null;
}

const { price: places } = decimalsMax;
const timeForm = { type: "DateTime64(6, 'UTC')", bytes: 8, as: 'us', isNullable: true } as const;
const decimalForm = { as: places, isNullable: false } as const;
const forms = {
  venue: { column: 'venue_ts', ...timeForm },
  received: { column: 'received_ts', ...timeForm },
  price: { column: 'price', type: 'Decimal(9, 6)', bytes: 4, ...decimalForm },
  size: { column: 'size', type: 'Decimal(18, 6)', bytes: 8, ...decimalForm },
} satisfies Readonly<Record<string, NumberForm>>;

/** Markets, two times, both decimals, the lengths of the id, and the side. */
const rowBytes = 4 + 18 + 12 + 2 + 5;
const rowsMax = Math.floor(batchBytesMax / rowBytes);
const idBytesMax = 255;
const tab = 9;
const lineFeed = 10;

/** Collects trades as columns. What `add` and `addTrade` store for equal values is equal. */
export class TradeColumnsBatch {
  private readonly rows = new BatchedRows(rowsMax);
  private readonly venue = new NumberColumn(forms.venue, rowsMax);
  private readonly received = new NumberColumn(forms.received, rowsMax);
  private readonly price = new NumberColumn(forms.price, rowsMax);
  private readonly size = new NumberColumn(forms.size, rowsMax);
  private readonly ids = Buffer.alloc(batchBytesMax + 2 * idBytesMax);
  private idsEnd = 0;
  private readonly sides = Buffer.alloc(4 * rowsMax);
  private readonly sideNulls = new Uint8Array(rowsMax);
  private sidesEnd = 0;
  private readonly scratch = Buffer.alloc(256);

  /** Returns whether the batch is full and must be taken first. */
  add(market: BatchedMarket, { id, venueUs, receivedUs, price, size, side }: PlainTrade): boolean {
    const { scratch } = this;
    const key = this.addId(id.length, (at) => this.ids.write(id, at, 'latin1'));
    putTime(this.venue, this.rows.count, venueUs);
    putTime(this.received, this.rows.count, receivedUs);
    this.price.put(this.rows.count, price);
    this.size.put(this.rows.count, size);
    scratch[0] = tab;
    let end = this.price.writeText(scratch, 1, price);
    scratch[end] = tab;
    end = this.size.writeText(scratch, end + 1, size);
    return this.end(market, receivedUs === emptyCell ? venueUs : receivedUs, { key, side, end });
  }

  /** Adds a trade that was read from texts. */
  addTrade(market: BatchedMarket, { id, venueUs, receivedUs, price, size, takerSide }: Trade): boolean {
    this.addId(Buffer.byteLength(id), (at) => this.ids.write(id, at));
    putTime(this.venue, this.rows.count, venueUs ?? emptyCell);
    putTime(this.received, this.rows.count, receivedUs ?? emptyCell);
    this.price.putExact(this.rows.count, scaledOf(price, places));
    this.size.putExact(this.rows.count, scaledOf(size, places));
    const end = this.scratch.write(`\t${price}\t${size}`);
    // The key of a batch of texts is that of the escaped id.
    const text = Buffer.from(escaped(id));
    const key = bytesDigest(text, 0, text.length);
    return this.end(market, receivedUs ?? venueUs ?? 0, { key, side: takerSide, end });
  }

  take(): ObservationBatch | null {
    const { count } = this.rows;
    if (count === 0) return null;
    const block = new NativeBlock(count);
    this.rows.writeTo(block);
    block.ownTexts('trade_id', this.ids.subarray(0, this.idsEnd));
    const numbers = [this.venue, this.received, this.price, this.size];
    for (const column of numbers) column.writeTo(block, count);
    block.ownTexts('taker_side', this.sides.subarray(0, this.sidesEnd), this.sideNulls);
    const body = block.bytes();
    for (const column of numbers) column.empty();
    this.sideNulls.fill(0);
    [this.idsEnd, this.sidesEnd] = [0, 0];
    return { columns: 'trades', format: 'native', body, ...this.rows.take() };
  }

  private addId(bytes: number, write: (at: number) => number): number {
    let at = this.idsEnd;
    if (bytes >= 0x80) {
      this.ids[at] = (bytes & 0x7f) | 0x80;
      this.ids[at + 1] = bytes >>> 7;
      at += 2;
    } else this.ids[at++] = bytes;
    this.idsEnd = at + write(at);
    return bytesDigest(this.ids, at, this.idsEnd);
  }

  private addSide(side: Side | null, end: number): number {
    if (side === null) {
      this.sideNulls[this.rows.count] = 1;
      this.sides[this.sidesEnd++] = 0;
      return writeNothing(this.scratch, end);
    }
    this.sides[this.sidesEnd] = side.length;
    this.sidesEnd += 1 + this.sides.write(side, this.sidesEnd + 1, 'latin1');
    return end + this.scratch.write(side, end, 'latin1');
  }

  private end(
    market: BatchedMarket,
    us: number,
    { key, side, end }: { readonly key: number; readonly side: Side | null; readonly end: number },
  ): boolean {
    const { rows, scratch } = this;
    scratch[end] = tab;
    const last = this.addSide(side, end + 1);
    scratch[last] = lineFeed;
    rows.add(market, us, { key, values: bytesDigest(scratch, 0, last + 1) });
    const bytes = rows.count * (rowBytes - 1) + this.idsEnd + rows.textsBytes;
    return rows.count >= rowsMax || bytes >= batchBytesMax;
  }
}

const putTime = (column: NumberColumn, row: number, us: number): void => {
  if (us === emptyCell) column.putNull(row);
  else column.put(row, us);
};
