import type { BatchMarket, ObservationBatch } from '../archive.js';

/** Limits of one batch: with the head of the call it fits into the bus's message of 1 MiB. */
export const batchRowsMax = 5_000;
export const batchBytesMax = 700_000;

/** A market whose rows are collected. `rowPrefix` is its ticker and series as the first two columns. */
export interface BatchedMarket {
  readonly ticker: string;
  readonly rowPrefix: string;
  readonly rowPrefixBytes: number;
}

export interface ObservationRow {
  readonly us: number;
  readonly venueUs: number | null;
  readonly seq: number | null;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly coinPrice: string | null;
}

/** The book of a row: both sides as `book.ts` writes them, and the age of the coin price. */
export interface RowBook {
  readonly yes: string;
  readonly no: string;
  readonly coinAgeUs: number | null;
}

export interface BatchBuilder {
  /** Adds a row. Returns true if the batch is full and must be taken first. Rows of an `l2` builder need a book. */
  add(market: BatchedMarket, row: ObservationRow, book?: RowBook): boolean;
  /** Returns the batch so far, or null if it is empty, and starts a new one. */
  take(): ObservationBatch | null;
}

const escaped = (text: string): string =>
  text.replace(/[\\\t\n\r\0]/g, (character) => escapes.get(character) ?? character);
const escapes = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\0', '\\0'],
]);

const nothing = '\\N';

/** The fixed part of a market's rows, made once. Without a known series the column is empty, not null. */
export const batchedMarket = (ticker: string, series: string | null): BatchedMarket => {
  const rowPrefix = `${escaped(ticker)}\t${escaped(series ?? '')}\t`;
  return { ticker, rowPrefix, rowPrefixBytes: Buffer.byteLength(rowPrefix) };
};

/**
 * Seconds with six decimals, which DateTime64(6) reads without loss. Always ten digits before the point, because
 * ClickHouse reads fewer as a day or a year (tried: `5.000000` fails the batch).
 */
export const secondsText = (us: number): string => {
  const digits = String(us).padStart(16, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

/** Bytes of a market in the head of the call, without its ticker. */
const headBytes = 100;

/** The last row of a batch may exceed the limit. */
const bodyBytes = batchBytesMax + 4_096;

const grown = (body: Buffer, by: number): Buffer => Buffer.concat([body], body.length + by);

const bookCells = (book: RowBook | undefined): string =>
  book === undefined ? `\tfalse\t[]\t[]\t${nothing}` : `\ttrue\t${book.yes}\t${book.no}\t${book.coinAgeUs ?? nothing}`;

interface Span {
  rows: number;
  min: number;
  max: number;
}

export const batchBuilder = (columns: ObservationBatch['columns'] = 'top'): BatchBuilder => {
  let body: Buffer = Buffer.allocUnsafe(bodyBytes);
  let written = 0;
  let rows = 0;
  let head = 0;
  let spans = new Map<BatchedMarket, Span>();
  let lastMarket: BatchedMarket | null = null;
  let lastSpan: Span | null = null;

  const spanOf = (market: BatchedMarket, us: number): Span => {
    if (market === lastMarket && lastSpan) return lastSpan;
    let span = spans.get(market);
    if (!span) {
      span = { rows: 0, min: us, max: us };
      spans.set(market, span);
      head += headBytes + market.rowPrefixBytes;
    }
    lastMarket = market;
    lastSpan = span;
    return span;
  };

  return {
    add: (market, { us, venueUs, seq, bid, ask, coinPrice }, book) => {
      const span = spanOf(market, us);
      span.rows += 1;
      if (us < span.min) span.min = us;
      if (us > span.max) span.max = us;
      const venue = venueUs === null ? nothing : secondsText(venueUs);
      const values = `${secondsText(us)}\t${venue}\t${seq ?? nothing}\t${bid ?? nothing}\t${ask ?? nothing}\t${coinPrice ?? nothing}${columns === 'l2' ? bookCells(book) : ''}\n`;
      // Written at once, because the garbage collector would move texts that wait for their batch.
      if (written + market.rowPrefixBytes + values.length > body.length)
        body = grown(body, market.rowPrefixBytes + values.length);
      written += body.write(market.rowPrefix + values, written);
      rows += 1;
      return rows >= batchRowsMax || written + head >= batchBytesMax;
    },
    take: () => {
      if (rows === 0) return null;
      const markets: BatchMarket[] = Array.from(spans, ([{ ticker }, span]) => ({
        ticker,
        rows: span.rows,
        min_us: span.min,
        max_us: span.max,
      }));
      const batch = { columns, rows, markets, body: body.subarray(0, written) };
      body = Buffer.allocUnsafe(bodyBytes);
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
