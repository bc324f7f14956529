import { randomUUID } from 'node:crypto';
import { chunkBytes, chunked } from '@almanac/bus';
import { asBuffer, type ClickHouse, stream } from '@almanac/clickhouse';
import { type BinaryForm, isBinaryForm, type SnapshotForm } from '@almanac/contracts';
import { throwReadError } from './archive-rows.js';
import { withMetadata } from './binary-format.js';
import type { RowTimes } from './part-times.js';

export interface StreamRequest {
  readonly form: Exclude<SnapshotForm, 'json'>;
  /** The start of a text, and all of it if there are no rows. */
  readonly header: string;
  /** The statement. A text ends with the line `<mark> <rows>`. `limit` is the most rows of a part. */
  readonly sql: (mark: string, limit?: number) => string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Key-value metadata of Parquet and Arrow. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Of a text that can be read in parts, one query each. */
  readonly parts?: RowParts;
  /** Of the others: counts the rows, up to a number. */
  readonly countSql?: (rowsMax: number) => string;
}

/** How a text continues after a row. */
export interface RowParts {
  /** The time of the row of this line, in microseconds. */
  readonly timeIn: (line: string) => number;
  readonly times: RowTimes;
}

export interface PiecesOptions {
  readonly signal: AbortSignal;
  /** Instead of those of the request. */
  readonly params?: StreamRequest['params'];
  readonly limit?: number;
  readonly withHeader?: boolean;
}

/** Chunks of one query. Returns its number of rows, which only a complete answer has. A chunk of text ends with a line. */
export type Pieces = AsyncGenerator<Buffer, number, void>;

/** Runs the query of a request, or of a part of it. Throws `unavailable`. */
export async function* piecesOf(clickhouse: ClickHouse, request: StreamRequest, options: PiecesOptions): Pieces {
  let count = 0;
  const onRows = (rows: number): void => void (count = rows);
  const query = { clickhouse, request, options, onRows };
  try {
    const { form } = request;
    yield* isBinaryForm(form) ? chunked(binaryPieces(form, query)) : wholeLines(textPieces(query));
  } catch (error) {
    return throwReadError(error);
  }
  return count;
}

interface PiecesQuery {
  readonly clickhouse: ClickHouse;
  readonly request: StreamRequest;
  readonly options: PiecesOptions;
  readonly onRows: (rows: number) => void;
}

async function* binaryPieces(
  form: BinaryForm,
  { clickhouse, request: { sql, params, metadata }, options: { signal }, onRows }: PiecesQuery,
): AsyncGenerator<Buffer, void, void> {
  const source = await stream(clickhouse, { sql: sql(''), params, signal });
  yield* withMetadata[form](source, { metadata, onRows });
}

async function* textPieces({
  clickhouse,
  request,
  options: { signal, params = request.params, limit, withHeader = true },
  onRows,
}: PiecesQuery): AsyncGenerator<Buffer, void, void> {
  const mark = randomUUID();
  const source = await stream(clickhouse, { sql: request.sql(mark, limit), params, signal });
  if (withHeader) yield Buffer.from(request.header);
  yield* withoutMark(source, { mark, lineEnd: request.form === 'csv' ? '\r\n' : '\n', onRows });
}

const lineFeed = 10;

/** Cuts at ends of lines into chunks of the size of a message. Only a longer line is cut within. */
async function* wholeLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of source) {
    pieces.push(piece);
    total += piece.length;
    if (total < chunkBytes) continue;
    let bytes = Buffer.concat(pieces, total);
    while (bytes.length >= chunkBytes) {
      const end = bytes.lastIndexOf(lineFeed, chunkBytes - 1) + 1 || chunkBytes;
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end);
    }
    pieces = [bytes];
    total = bytes.length;
  }
  if (total > 0) yield Buffer.concat(pieces, total);
}

/** More than the last line has: its end of line, the mark and the number of rows. */
const heldBytes = 96;

interface MarkOptions {
  readonly mark: string;
  readonly lineEnd: string;
  readonly onRows: (rows: number) => void;
}

/** Passes the rows and cuts off the last line. Without it the answer was cut, so this throws. */
async function* withoutMark(
  source: AsyncIterable<unknown>,
  { mark, lineEnd, onRows }: MarkOptions,
): AsyncGenerator<Buffer, void, void> {
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    const bytes = asBuffer(piece);
    // Most pieces are long. Joining each with the few bytes before it would copy all of them.
    const rest = bytes.length < heldBytes ? Buffer.concat([held, bytes]) : bytes;
    if (rest === bytes) yield held;
    const end = Math.max(0, rest.length - heldBytes);
    yield rest.subarray(0, end);
    held = rest.subarray(end);
  }
  const at = held.lastIndexOf(`${mark} `);
  const rows = /^(\d+)\n?$/.exec(held.toString('latin1', at + mark.length + 1))?.[1];
  if (at < 0 || rows === undefined) throw new Error('the stream of rows has no end');
  onRows(Number(rows));
  // Without rows, the end of line before the mark ends nothing.
  yield held.subarray(0, rows === '0' ? at - lineEnd.length : at);
}
