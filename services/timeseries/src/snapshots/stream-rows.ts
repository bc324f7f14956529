import { createHash, randomUUID } from 'node:crypto';
import { chunked, type ReplyChunks } from '@almanac/bus';
import { asBuffer, type ClickHouse, stream } from '@almanac/clickhouse';
import type { HeldSlots, ReadCaller } from '@almanac/runtime';
import { type BinaryForm, DomainError, isBinaryForm, type ReplyHead, type SnapshotForm } from '@almanac/contracts';
import { throwReadError } from './archive-rows.js';
import { withMetadata } from './binary-format.js';

export interface RowStreams {
  /**
   * All rows of a window. A short answer is complete in `bytes`, and the others stream. Throws `unavailable`, also when
   * this process sends as many streams as it may. The caller's signal counts until this returns.
   */
  open(request: StreamRequest, caller: ReadCaller): Promise<ShortRows | LongRows>;
  /** All rows of a page, whose statement selects only a few. */
  page(request: StreamRequest, caller: ReadCaller): Promise<Buffer>;
}

export interface StreamRequest {
  readonly form: Exclude<SnapshotForm, 'json'>;
  /** The start of a text, and all of it if there are no rows. */
  readonly header: string;
  /** The statement. A text ends with the line `<mark> <rows>`. */
  readonly sql: (mark: string) => string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Key-value metadata of Parquet and Arrow. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface ShortRows {
  readonly bytes: Uint8Array;
  readonly trailer: ReplyHead;
}

export interface LongRows {
  readonly first: Uint8Array;
  readonly rest: ReplyChunks;
  /** Ends the query and frees its slot. `rest` then fails. */
  readonly abandon: () => void;
}

export interface RowStreamDeps {
  readonly clickhouse: ClickHouse;
  /** For the start of a stream, shared with the reads of pages: most answers are short. */
  readonly slots: HeldSlots;
  /** For the rest of a long one, which lasts as long as its client reads. */
  readonly streamSlots: HeldSlots;
}

export const rowStreams = ({ clickhouse, slots, streamSlots }: RowStreamDeps): RowStreams => {
  const slotsByAccount = slotsPerAccount(streamSlots);
  const open: RowStreams['open'] = async (request, caller) => {
    const { signal } = caller;
    const life = new AbortController();
    const onAbort = (): void => life.abort(signal.reason);
    let release = await slots.acquire(caller);
    const abandon = (): void => {
      life.abort(abandoned());
      release();
    };
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, shortMsMax);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const chunks = chunksOf(clickhouse, request, life.signal);
      const begin = beginOf(chunks);
      // If nobody waits for it any more, its error is of no interest.
      begin.catch(() => undefined);
      const known = await Promise.race([begin, late.promise]);
      if (known !== undefined && known.trailer !== undefined) {
        release();
        return { bytes: Buffer.concat(known.pieces), trailer: known.trailer };
      }
      const releaseStream = slotsByAccount(caller.account ?? '');
      release();
      release = releaseStream;
      const rest = releasing(continued(begin, chunks), () => release());
      return { first: new Uint8Array(), rest, abandon };
    } catch (error) {
      abandon();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
  const page: RowStreams['page'] = async (request, caller) => {
    const release = await slots.acquire(caller);
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of chunksOf(clickhouse, request, caller.signal)) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      release();
    }
  };
  return { open, page };
};

/** Long streams of one account at this process. A slow client holds its slot, so no account may take all. */
const accountStreamsMax = 2;

const slotsPerAccount = (slots: HeldSlots): ((account: string) => () => void) => {
  const running = new Map<string, number>();
  const add = (account: string, more: 1 | -1): void => {
    const count = (running.get(account) ?? 0) + more;
    if (count === 0) running.delete(account);
    else running.set(account, count);
  };
  return (account) => {
    if ((running.get(account) ?? 0) >= accountStreamsMax) throw tooManyStreams();
    const release = slots.acquireNow();
    add(account, 1);
    let held = true;
    return () => {
      if (held) add(account, -1);
      held = false;
      release();
    };
  };
};

const tooManyStreams = (): DomainError =>
  new DomainError(
    'unavailable',
    `Your account already has ${accountStreamsMax} bulk reads open. Try again when one of them has ended.`,
  );

/** An answer that is not known to be short after this time streams, so that a long query is not cut by the deadline. */
const shortMsMax = 5_000;

const abandoned = (): DOMException => new DOMException('Nobody reads the rest of the stream.', 'AbortError');

interface Begin {
  readonly pieces: readonly Uint8Array[];
  /** Of an answer that ends with these pieces. */
  readonly trailer?: ReplyHead;
}

/** The first two chunks, or all of a short answer. */
const beginOf = async (chunks: ReplyChunks): Promise<Begin> => {
  const pieces: Uint8Array[] = [];
  while (pieces.length < 2) {
    const next = await chunks.next();
    if (next.done === true) return { pieces, trailer: next.value };
    pieces.push(next.value);
  }
  return { pieces };
};

async function* continued(begin: Promise<Begin>, chunks: ReplyChunks): ReplyChunks {
  const { pieces, trailer } = await begin;
  yield* pieces;
  return trailer ?? (yield* chunks);
}

async function* releasing(chunks: ReplyChunks, release: () => void): ReplyChunks {
  try {
    return yield* chunks;
  } finally {
    release();
  }
}

/** Hashes and counts the rows. Its return value is the trailer, which only a complete answer gets. */
async function* chunksOf(clickhouse: ClickHouse, request: StreamRequest, signal: AbortSignal): ReplyChunks {
  const hash = createHash('sha256');
  let count = 0;
  const onRows = (rows: number): void => void (count = rows);
  const { form } = request;
  const read = { request, signal, onRows };
  const pieces = isBinaryForm(form) ? binaryPieces(clickhouse, form, read) : textPieces(clickhouse, read);
  try {
    for await (const chunk of chunked(pieces)) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    return throwReadError(error);
  }
  return { complete: true, count, sha256: hash.digest('hex') };
}

interface Pieces {
  readonly request: StreamRequest;
  readonly signal: AbortSignal;
  readonly onRows: (rows: number) => void;
}

async function* binaryPieces(
  clickhouse: ClickHouse,
  form: BinaryForm,
  { request, signal, onRows }: Pieces,
): AsyncGenerator<Buffer, void, void> {
  const { metadata, params } = request;
  const source = await stream(clickhouse, { sql: request.sql(''), params, signal });
  yield* withMetadata[form](source, { metadata, onRows });
}

async function* textPieces(
  clickhouse: ClickHouse,
  { request, signal, onRows }: Pieces,
): AsyncGenerator<Buffer, void, void> {
  const { params, header, form } = request;
  const mark = randomUUID();
  const source = await stream(clickhouse, { sql: request.sql(mark), params, signal });
  yield Buffer.from(header);
  yield* withoutMark(source, { mark, lineEnd: form === 'csv' ? '\r\n' : '\n', onRows });
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
