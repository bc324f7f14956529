import type { ObservationBatch } from '../archive.js';
import { bytesDigest } from '../values/bytes-digest.js';
import { emptyCell } from '../sources/cells.js';
import { scaledOf, writeInteger, writeScaled, writeSeconds } from '../values/scaled.js';
import { decimalsMax } from '../values/stored-values.js';
import { NativeBlock } from './native-block.js';
import { batchBytesMax, type BatchedMarket, type ObservationRow } from './observation-batch.js';

/** The fields of a quote after its time, in the order of the columns of a batch. */
export const quoteFields = [
  { name: 'venueUs', column: 'venue_ts', type: "DateTime64(6, 'UTC')", places: null, bytes: 8 },
  { name: 'seq', column: 'seq', type: 'UInt64', places: null, bytes: 8 },
  { name: 'bid', column: 'yes_best_bid', type: 'Decimal(9, 6)', places: decimalsMax.price, bytes: 4 },
  { name: 'ask', column: 'yes_best_ask', type: 'Decimal(9, 6)', places: decimalsMax.price, bytes: 4 },
  { name: 'coinPrice', column: 'coin_price', type: 'Decimal(18, 8)', places: decimalsMax.value, bytes: 8 },
  { name: 'bidSize', column: 'yes_best_bid_size', type: 'Decimal(18, 6)', places: decimalsMax.price, bytes: 8 },
  { name: 'askSize', column: 'yes_best_ask_size', type: 'Decimal(18, 6)', places: decimalsMax.price, bytes: 8 },
] as const;
export type QuoteField = (typeof quoteFields)[number]['name'];

/** A block of quotes: each field by row, `emptyCell` without a value. Decimals are integers of their last place. */
export type QuoteColumns = { readonly us: Float64Array } & { readonly [Name in QuoteField]: Float64Array | null };

interface Span {
  readonly index: number;
  readonly series: number;
  rows: number;
  min: number;
  max: number;
}

type Kind = 'venue' | 'integer' | 'decimal';

/** One column of the batch. `words` are the low and the high half of each number. */
interface Field {
  readonly at: (typeof quoteFields)[number];
  readonly kind: Kind;
  readonly nulls: Uint8Array;
  readonly words: Int32Array;
  hasValue: boolean;
}

const rowsMax = 60_000;
const timeBytes = 8;
const textBytes = 4;
const two32 = 2 ** 32;
const tab = 9;
const lineFeed = 10;
const backslash = 92;
const letterN = 78;

/** Otherwise ClickHouse computes it from columns that a batch does not have. */
const isSize = ({ column }: Field['at']): boolean => column.endsWith('_size');

/** Collects quotes as columns. What `add` and `addRow` store for equal values is equal. */
export class QuoteBatch {
  private readonly fields: readonly (Field | null)[];
  private readonly rowBytes: number;
  private readonly capacity: number;
  private readonly scratch = Buffer.alloc(256);
  private readonly markets: Uint16Array;
  private readonly series: Uint16Array;
  private readonly times: Int32Array;
  private keyUs: Float64Array;
  private keyValues: Float64Array;
  private spans = new Map<BatchedMarket, Span>();
  private seriesIn = new Map<string, number>();
  private rows = 0;
  private textsBytes = 0;
  private lastMarket: BatchedMarket | null = null;
  private lastSpan: Span | null = null;

  constructor(
    present: readonly QuoteField[],
    private readonly columns: 'top' | 'top_sizes',
  ) {
    const wanted = quoteFields.slice(0, columns === 'top' ? 5 : 7);
    const isStored = (at: Field['at']): boolean => present.includes(at.name) || isSize(at);
    this.rowBytes = wanted.reduce((sum, at) => sum + (isStored(at) ? at.bytes + 1 : 0), timeBytes + textBytes);
    this.capacity = Math.min(rowsMax, Math.floor(batchBytesMax / this.rowBytes));
    this.fields = wanted.map((at) => (isStored(at) ? newField(at, this.capacity) : null));
    this.markets = new Uint16Array(this.capacity);
    this.series = new Uint16Array(this.capacity);
    this.times = new Int32Array(2 * this.capacity);
    this.keyUs = new Float64Array(this.capacity);
    this.keyValues = new Float64Array(this.capacity);
  }

  /** Adds a row of columns whose cells are all read. Returns whether the batch is full and must be taken first. */
  add(market: BatchedMarket, from: QuoteColumns, row: number): boolean {
    const { fields, scratch, rows } = this;
    let at = 0;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index] ?? null;
      const value = field === null ? emptyCell : (from[field.at.name]?.[row] ?? emptyCell);
      if (index > 0) scratch[at++] = tab;
      if (field === null || value === emptyCell) at = writeNull(field, rows, scratch, at);
      else {
        put(field, rows, value);
        at = written(field, scratch, at, value);
      }
    }
    return this.end(market, from.us[row] ?? 0, at);
  }

  /** Adds a row that was read from texts. */
  addRow(market: BatchedMarket, row: ObservationRow): boolean {
    const { fields, scratch, rows } = this;
    let at = 0;
    for (const [index, field] of fields.entries()) {
      const value = field === null ? null : (row[field.at.name] ?? null);
      if (index > 0) scratch[at++] = tab;
      if (field === null || value === null) at = writeNull(field, rows, scratch, at);
      else if (typeof value === 'number') {
        put(field, rows, value);
        at = written(field, scratch, at, value);
      } else {
        putExact(field, rows, scaledOf(value, field.at.places ?? 0));
        at += scratch.write(value, at);
      }
    }
    return this.end(market, row.us, at);
  }

  take(): ObservationBatch | null {
    const { rows, spans } = this;
    if (rows === 0) return null;
    const named = Array.from(spans, ([{ ticker }, span]) => ({
      ticker,
      rows: span.rows,
      min_us: span.min,
      max_us: span.max,
    }));
    const keys = { market: this.markets.slice(0, rows), us: this.keyUs, values: this.keyValues };
    const batch = { columns: this.columns, format: 'native' as const, rows, markets: named, body: this.body(), keys };
    for (const field of this.fields) if (field) emptied(field);
    this.keyUs = new Float64Array(this.capacity);
    this.keyValues = new Float64Array(this.capacity);
    this.spans = new Map();
    this.seriesIn = new Map();
    [this.rows, this.textsBytes, this.lastMarket, this.lastSpan] = [0, 0, null, null];
    return batch;
  }

  private body(): Buffer {
    const block = new NativeBlock(this.rows);
    block.texts(
      'ticker',
      Array.from(this.spans.keys(), ({ ticker }) => ticker),
      this.markets,
    );
    block.texts('series', Array.from(this.seriesIn.keys()), this.series);
    block.numbers('ts', "DateTime64(6, 'UTC')", this.times.subarray(0, 2 * this.rows));
    for (const field of this.fields) {
      if (!field || !(field.hasValue || isSize(field.at))) continue;
      const words = (field.at.bytes / 4) * this.rows;
      block.numbers(field.at.column, field.at.type, field.words.subarray(0, words), field.nulls);
    }
    return block.bytes();
  }

  private end(market: BatchedMarket, us: number, end: number): boolean {
    const { rows, scratch } = this;
    scratch[end] = lineFeed;
    const span = this.spanOf(market);
    span.rows += 1;
    if (us < span.min) span.min = us;
    if (us > span.max) span.max = us;
    this.markets[rows] = span.index;
    this.series[rows] = span.series;
    this.times[2 * rows] = us % two32;
    this.times[2 * rows + 1] = us / two32;
    this.keyUs[rows] = us;
    this.keyValues[rows] = bytesDigest(scratch, 0, end + 1);
    this.rows = rows + 1;
    return this.rows >= this.capacity || this.rows * this.rowBytes + this.textsBytes >= batchBytesMax;
  }

  private spanOf(market: BatchedMarket): Span {
    if (market === this.lastMarket && this.lastSpan) return this.lastSpan;
    let span = this.spans.get(market);
    if (!span) {
      const series = this.seriesIn.get(market.series) ?? this.seriesIn.size;
      this.seriesIn.set(market.series, series);
      span = { index: this.spans.size, series, rows: 0, min: Infinity, max: -Infinity };
      this.spans.set(market, span);
      this.textsBytes += market.rowPrefixBytes + 4;
    }
    this.lastMarket = market;
    this.lastSpan = span;
    return span;
  }
}

const newField = (at: Field['at'], capacity: number): Field => ({
  at,
  kind: at.name === 'venueUs' ? 'venue' : at.places === null ? 'integer' : 'decimal',
  nulls: new Uint8Array(capacity),
  words: new Int32Array((capacity * at.bytes) / 4),
  hasValue: false,
});

const emptied = (field: Field): void => {
  field.nulls.fill(0);
  field.words.fill(0);
  field.hasValue = false;
};

const put = (field: Field, row: number, value: number): void => {
  field.hasValue = true;
  if (field.at.bytes === 4) field.words[row] = value;
  else {
    field.words[2 * row] = value % two32;
    field.words[2 * row + 1] = value / two32;
  }
};

const putExact = (field: Field, row: number, value: bigint): void => {
  field.hasValue = true;
  if (field.at.bytes === 4) field.words[row] = Number(value);
  else {
    field.words[2 * row] = Number(BigInt.asIntN(32, value));
    field.words[2 * row + 1] = Number(value >> 32n);
  }
};

/** A value as `observation-batch.ts` writes it, because the digest of a row is that of its text. */
const written = ({ kind, at: { places } }: Field, bytes: Buffer, at: number, value: number): number => {
  if (kind === 'venue') return writeSeconds(bytes, at, value);
  return kind === 'integer' ? writeInteger(bytes, at, value) : writeScaled(bytes, at, value, places ?? 0);
};

const writeNull = (field: Field | null, row: number, bytes: Buffer, at: number): number => {
  if (field !== null) field.nulls[row] = 1;
  bytes[at] = backslash;
  bytes[at + 1] = letterN;
  return at + 2;
};
