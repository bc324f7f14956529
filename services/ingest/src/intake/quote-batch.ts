import type { ObservationBatch } from '../archive.js';
import { bytesDigest } from '../values/bytes-digest.js';
import { fieldsOfBatch, type QuoteField, type QuoteName, type QuoteRow } from '../model/quote-fields.js';
import { emptyCell } from '../sources/cells.js';
import { scaledOf } from '../values/scaled.js';
import { BatchedRows } from './batched-rows.js';
import { NativeBlock } from './native-block.js';
import { NumberColumn, writeNothing } from './number-column.js';
import { batchBytesMax, type BatchedMarket } from './observation-batch.js';

/** A block of quotes: each field by row, `emptyCell` without a value. Decimals are integers of their last place. */
export type QuoteColumns = { readonly us: Float64Array } & Readonly<Record<QuoteName, Float64Array | null>>;

/** A column of the batch, null if no row has a value. */
interface Field {
  readonly at: QuoteField;
  readonly numbers: NumberColumn | null;
}

const rowsMax = 60_000;
const timeBytes = 8;
const textBytes = 4;
const tab = 9;
const lineFeed = 10;
const time = { column: 'ts', type: "DateTime64(6, 'UTC')", bytes: 8, as: 'us', isNullable: false } as const;

/** Otherwise ClickHouse computes it from columns that a batch does not have. */
const isSize = ({ kind }: QuoteField): boolean => kind === 'size';

/** Collects quotes as columns. What `add` and `addRow` store for equal values is equal. */
export class QuoteBatch {
  private readonly fields: readonly Field[];
  private readonly rowBytes: number;
  private readonly capacity: number;
  private readonly scratch = Buffer.alloc(256);
  private readonly rows: BatchedRows;
  private readonly times: NumberColumn;

  constructor(
    present: ReadonlySet<QuoteName>,
    private readonly columns: 'top' | 'top_sizes',
  ) {
    const wanted = fieldsOfBatch(columns);
    const isStored = (at: QuoteField): boolean => present.has(at.name) || isSize(at);
    this.rowBytes = wanted.reduce((sum, at) => sum + (isStored(at) ? at.bytes + 1 : 0), timeBytes + textBytes);
    this.capacity = Math.min(rowsMax, Math.floor(batchBytesMax / this.rowBytes));
    this.fields = wanted.map((at) => ({
      at,
      numbers: isStored(at) ? new NumberColumn({ ...at, isNullable: true }, this.capacity) : null,
    }));
    this.rows = new BatchedRows(this.capacity);
    this.times = new NumberColumn(time, this.capacity);
  }

  /** Adds a row of columns whose cells are all read. Returns whether the batch is full and must be taken first. */
  add(market: BatchedMarket, from: QuoteColumns, row: number): boolean {
    const { fields, scratch, rows } = this;
    let at = 0;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index];
      const value = field ? (from[field.at.name]?.[row] ?? emptyCell) : emptyCell;
      if (index > 0) scratch[at++] = tab;
      if (value === emptyCell || !field?.numbers) at = this.addNothing(field, at);
      else {
        field.numbers.put(rows.count, value);
        at = field.numbers.writeText(scratch, at, value);
      }
    }
    return this.end(market, from.us[row] ?? 0, at);
  }

  /** Adds a row that was read from texts. */
  addRow(market: BatchedMarket, row: QuoteRow): boolean {
    const { fields, scratch, rows } = this;
    let at = 0;
    for (const [index, field] of fields.entries()) {
      const value = row[field.at.name] ?? null;
      if (index > 0) scratch[at++] = tab;
      if (value === null || !field.numbers) at = this.addNothing(field, at);
      else if (typeof value === 'number') {
        field.numbers.put(rows.count, value);
        at = field.numbers.writeText(scratch, at, value);
      } else {
        const { as } = field.at;
        field.numbers.putExact(rows.count, scaledOf(value, typeof as === 'number' ? as : 0));
        at += scratch.write(value, at);
      }
    }
    return this.end(market, row.us, at);
  }

  take(): ObservationBatch | null {
    if (this.rows.count === 0) return null;
    const body = this.body();
    for (const { numbers } of [...this.fields, { numbers: this.times }]) numbers?.empty();
    return { columns: this.columns, format: 'native', body, ...this.rows.take() };
  }

  private body(): Buffer {
    const { count } = this.rows;
    const block = new NativeBlock(count);
    this.rows.writeTo(block);
    this.times.writeTo(block, count);
    for (const { at, numbers } of this.fields)
      if (numbers && (numbers.hasValue || isSize(at))) numbers.writeTo(block, count);
    return block.bytes();
  }

  private addNothing(field: Field | undefined, at: number): number {
    field?.numbers?.putNull(this.rows.count);
    return writeNothing(this.scratch, at);
  }

  private end(market: BatchedMarket, us: number, end: number): boolean {
    const { rows, scratch } = this;
    scratch[end] = lineFeed;
    this.times.put(rows.count, us);
    rows.add(market, us, { key: us, values: bytesDigest(scratch, 0, end + 1) });
    return rows.count >= this.capacity || rows.count * this.rowBytes + rows.textsBytes >= batchBytesMax;
  }
}
