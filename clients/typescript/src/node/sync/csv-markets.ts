import { createReadStream } from 'node:fs';
import { damagedCsv, type MarketPlace } from './local-copy.js';

const [quote, comma, newline, carriageReturn] = [0x22, 0x2c, 0x0a, 0x0d];

/** Finds the markets of a CSV file, whose rows are by market, then time. Reads the bytes once, in constant memory. */
export const marketsInCsv = async (path: string): Promise<MarketPlace[]> => {
  const found: MarketPlace[] = [];
  let columns: { readonly ticker: number; readonly ts: number } | undefined;
  const rows = new RowReader((fields, offset) => {
    if (columns === undefined) {
      columns = { ticker: fields.indexOf('ticker'), ts: fields.indexOf('ts') };
      if (columns.ticker < 0 || columns.ts < 0) throw damagedCsv(path);
      rows.read(columns);
      return;
    }
    const [ticker = '', ts = ''] = [fields[columns.ticker], fields[columns.ts]];
    if (found.at(-1)?.[0] !== ticker) found.push([ticker, offset, Math.round(Number(ts) * 1e6)]);
  });
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) rows.feed(piece as Uint8Array);
  rows.end();
  return found;
};

/** Splits bytes into rows of CSV, and knows where in the file each begins. A quoted field can have line breaks. */
class RowReader {
  readonly #onRow: (fields: readonly string[], offset: number) => void;
  #wanted: ReadonlySet<number> | undefined;
  #fields: string[] = [];
  #bytes: number[] = [];
  #column = 0;
  #isQuoted = false;
  #closedAt = -1;
  #position = 0;
  #rowStart = 0;

  constructor(onRow: (fields: readonly string[], offset: number) => void) {
    this.#onRow = onRow;
  }

  /** From now on, only these columns have their texts. */
  read(columns: Readonly<Record<string, number>>): void {
    this.#wanted = new Set(Object.values(columns));
  }

  feed(piece: Uint8Array): void {
    for (const byte of piece) {
      this.#position += 1;
      if (byte === quote) this.#quote();
      else if (this.#isQuoted) this.#take(byte);
      else if (byte === comma) this.#endField();
      else if (byte === newline) this.#endRow();
      else if (byte !== carriageReturn) this.#take(byte);
    }
  }

  /** Two quotes in a quoted field are one. */
  #quote(): void {
    if (!this.#isQuoted && this.#position - 1 === this.#closedAt) this.#take(quote);
    this.#isQuoted = !this.#isQuoted;
    if (!this.#isQuoted) this.#closedAt = this.#position;
  }

  end(): void {
    if (this.#position > this.#rowStart) this.#endRow();
  }

  #take(byte: number): void {
    if (this.#wanted === undefined || this.#wanted.has(this.#column)) this.#bytes.push(byte);
  }

  #endField(): void {
    if (this.#bytes.length > 0) this.#fields[this.#column] = Buffer.from(this.#bytes).toString();
    this.#bytes = [];
    this.#column += 1;
  }

  #endRow(): void {
    this.#endField();
    this.#onRow(this.#fields, this.#rowStart);
    this.#fields = [];
    this.#column = 0;
    this.#rowStart = this.#position;
  }
}
