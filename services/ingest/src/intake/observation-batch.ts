import type { BatchMarket, ObservationBatch, RowKeys } from '../archive.js';
import { bookRowDigest } from '../model/book-row.js';
import { fieldsOfBatch, type QuoteField, type QuoteRow } from '../model/quote-fields.js';
import { bytesDigest } from '../values/bytes-digest.js';
import { secondsText } from '../values/time.js';

/**
 * Limits of one batch: with the head of the call it fits into the bus's message of 1 MiB. Each batch costs a note, an insert
 * and an event for each market, so most batches are as large as their bytes allow.
 */
const batchRowsMax = 16_000;
export const batchBytesMax = 700_000;
/** A call names at most 5,000 markets. The line that fills a batch may have several. */
const batchMarketsMax = 4_900;

/** A market whose rows are collected. `rowPrefix` is its ticker and series as the first two columns. */
export interface BatchedMarket {
  readonly ticker: string;
  /** Empty without a known series. */
  readonly series: string;
  readonly rowPrefix: string;
  readonly rowPrefixBytes: number;
}

/** The book of a row: both sides as `book.ts` writes them, and the age of the coin price. */
export interface RowBook {
  readonly yes: string;
  readonly no: string;
  /** As `book.ts` computes it. Absent: only texts are compared with the row. */
  readonly digest?: number;
  readonly coinAgeUs: number | null;
}

export interface BatchBuilder {
  /** Adds a row. Returns true if the batch is full and must be taken first. Rows of an `l2` builder need a book. */
  add(market: BatchedMarket, row: QuoteRow, book?: RowBook): boolean;
  /** Returns the batch so far, or null if it is empty, and starts a new one. */
  take(): ObservationBatch | null;
}

export const escaped = (text: string): string =>
  text.replace(/[\\\t\n\r\0]/g, (character) => escapes.get(character) ?? character);
const escapes = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\0', '\\0'],
]);

export const nothing = '\\N';

/** The time of a row as `secondsText` writes it, and the tab after it. */
const timeBytes = 18;

/** The fixed part of a market's rows, made once. Without a known series the column is empty, not null. */
export const batchedMarket = (ticker: string, series: string | null): BatchedMarket => {
  const rowPrefix = `${escaped(ticker)}\t${escaped(series ?? '')}\t`;
  return { ticker, series: series ?? '', rowPrefix, rowPrefixBytes: Buffer.byteLength(rowPrefix) };
};

/** Bytes of a market in the head of the call, without its ticker. */
const headBytes = 100;

/** The last row of a batch may exceed the limit. */
const bodyBytes = batchBytesMax + 4_096;

const grown = (body: Buffer, by: number): Buffer => Buffer.concat([body], body.length + by);

const bookCells = (book: RowBook | undefined): string =>
  book === undefined ? `\tfalse\t[]\t[]\t${nothing}` : `\ttrue\t${book.yes}\t${book.no}\t${book.coinAgeUs ?? nothing}`;

/** A value as a cell and the tab before it. */
const cellOf = (row: QuoteRow, { name, kind }: QuoteField): string => {
  const value = row[name] ?? nothing;
  return `\t${kind === 'time' && typeof value === 'number' ? secondsText(value) : value}`;
};

interface Span {
  /** Position in the batch's list of markets. */
  readonly index: number;
  rows: number;
  min: number;
  max: number;
}

const marketsIn = (spans: ReadonlyMap<BatchedMarket, Span>): BatchMarket[] =>
  Array.from(spans, ([{ ticker }, { rows, min, max }]) => ({ ticker, rows, min_us: min, max_us: max }));

const newKeys = (rows = 4_096): RowKeys => ({
  market: new Uint16Array(rows),
  us: new Float64Array(rows),
  values: new Float64Array(rows),
});

const grownKeys = ({ market, us, values }: RowKeys): RowKeys => {
  const keys = newKeys(2 * us.length);
  keys.market.set(market);
  keys.us.set(us);
  keys.values.set(values);
  return keys;
};

/** One row of a batch: the cells after the market's, as text with its line feed. */
interface BatchRow {
  readonly us: number;
  readonly text: string;
  /** The length of the end of the text that is compared when the row repeats another one. It is plain ASCII. */
  readonly valuesBytes: number;
  /** Of its values. Default: that of the end of the text. */
  readonly digest?: number;
  /** For rows that are not identified by their time: the key is the text before its last so many bytes. */
  readonly keyEndBytes?: number;
}

interface RowBatch {
  /** Adds a row. Returns true if the batch is full and must be taken first. */
  add(market: BatchedMarket, row: BatchRow): boolean;
  take(): ObservationBatch | null;
}

/** Collects rows as bytes, so that no object per row waits for its batch. */
export const rowBatch = (columns: ObservationBatch['columns']): RowBatch => {
  let body: Buffer = Buffer.allocUnsafe(bodyBytes);
  let written = 0;
  let rows = 0;
  let head = 0;
  let spans = new Map<BatchedMarket, Span>();
  let lastMarket: BatchedMarket | null = null;
  let lastSpan: Span | null = null;
  let keys = newKeys();

  const spanOf = (market: BatchedMarket, us: number): Span => {
    if (market === lastMarket && lastSpan) return lastSpan;
    let span = spans.get(market);
    if (!span) {
      span = { index: spans.size, rows: 0, min: us, max: us };
      spans.set(market, span);
      head += headBytes + market.rowPrefixBytes;
    }
    lastMarket = market;
    lastSpan = span;
    return span;
  };

  return {
    add: (market, { us, text, valuesBytes, digest, keyEndBytes }) => {
      const span = spanOf(market, us);
      span.rows += 1;
      if (us < span.min) span.min = us;
      if (us > span.max) span.max = us;
      // Written at once, because the garbage collector would move texts that wait for their batch.
      if (written + market.rowPrefixBytes + text.length > body.length)
        body = grown(body, market.rowPrefixBytes + text.length);
      const keyFrom = written + market.rowPrefixBytes;
      written += body.write(market.rowPrefix + text, written);
      if (rows === keys.us.length) keys = grownKeys(keys);
      keys.market[rows] = span.index;
      keys.us[rows] = keyEndBytes === undefined ? us : bytesDigest(body, keyFrom, written - keyEndBytes);
      keys.values[rows] = digest ?? bytesDigest(body, written - valuesBytes, written);
      rows += 1;
      return rows >= batchRowsMax || spans.size >= batchMarketsMax || written + head >= batchBytesMax;
    },
    take: () => {
      if (rows === 0) return null;
      const batch = { columns, rows, markets: marketsIn(spans), body: body.subarray(0, written), keys };
      body = Buffer.allocUnsafe(bodyBytes);
      keys = newKeys();
      written = 0;
      rows = 0;
      head = 0;
      spans = new Map();
      lastMarket = null;
      lastSpan = null;
      return batch;
    },
  };
};

export const batchBuilder = (columns: 'top' | 'top_sizes' | 'l2' = 'top'): BatchBuilder => {
  const batch = rowBatch(columns);
  const fields = fieldsOfBatch(columns === 'l2' ? 'top' : columns);
  return {
    add: (market, row, book) => {
      const { us, venueUs = null, seq = null, coinPrice = null } = row;
      let text = secondsText(us);
      for (const field of fields) text += cellOf(row, field);
      text += columns === 'l2' ? `${bookCells(book)}\n` : '\n';
      const { digest: levels } = book ?? {};
      const coinAgeUs = book?.coinAgeUs ?? null;
      const digest =
        levels === undefined ? {} : { digest: bookRowDigest({ venueUs, seq, coinPrice, coinAgeUs }, levels) };
      return batch.add(market, { us, text, valuesBytes: text.length - timeBytes, ...digest });
    },
    take: () => batch.take(),
  };
};
