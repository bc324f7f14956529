import { createHash } from 'node:crypto';
import type { ReplyChunks } from '@almanac/bus';
import { type ClickHouse, rows } from '@almanac/clickhouse';
import type { HeldSlots, ReadCaller } from '@almanac/runtime';
import { DomainError, isBinaryForm, type ReplyHead } from '@almanac/contracts';
import { z } from 'zod';
import { throwReadError } from './archive-rows.js';
import type { PartSlots } from './part-slots.js';
import { chunkIterator } from './chunk-iterator.js';
import { trailerOf } from './row-tally.js';
import { type DividedRequest, type Part, ready, rowsInParts } from './rows-in-parts.js';
import { type Pieces, piecesOf, type StreamRequest } from './stream-pieces.js';
import { type HeldStreams, noPlace, openStreams, type Place, slowReader } from './stream-places.js';

export interface RowStreams {
  /**
   * All rows of a window. A short answer is complete in `bytes`, and the others stream. Throws `unavailable`, also when
   * this process sends as many streams as it may. The caller's signal counts until this returns.
   */
  open(request: StreamRequest, caller: ReadCaller): Promise<ShortRows | LongRows>;
  /** All rows of a page, whose statement selects only a few. */
  page(request: StreamRequest, caller: ReadCaller): Promise<Buffer>;
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
  /** For the queries of long ones. */
  readonly streamSlots: PartSlots;
  /** Those of `streamSlots` that one query holds until its client has read all. */
  readonly held: HeldStreams;
}

export const rowStreams = (deps: RowStreamDeps): RowStreams => {
  const { clickhouse, slots } = deps;
  const ofAccounts = openStreams();
  const open: RowStreams['open'] = async (request, caller) => {
    if (!isDivided(request) && !deps.held.hasPlace) await requireShort(deps, request, caller);
    const life = new AbortController();
    const onAbort = (): void => life.abort(caller.signal.reason);
    const release = await slots.acquire(caller);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, shortMsMax);
    caller.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const pieces = piecesOf(clickhouse, request, { signal: life.signal });
      const begin = beginOf(pieces);
      // If nobody waits for it any more, its error is of no interest.
      begin.catch(() => undefined);
      const known = await Promise.race([begin, late.promise]);
      if (known?.count !== undefined) return shortRows(known.chunks, known.count);
      const leave = ofAccounts.enter(caller.account ?? '');
      const begun = { request, caller, life, begin, pieces, leave };
      try {
        return isDivided(request) ? divided(deps, { ...begun, request, known }) : await held(deps, begun);
      } catch (error) {
        leave();
        throw error;
      }
    } catch (error) {
      life.abort(abandoned());
      throw error;
    } finally {
      clearTimeout(timer);
      release();
      caller.signal.removeEventListener('abort', onAbort);
    }
  };
  const page: RowStreams['page'] = async (request, caller) => {
    const release = await slots.acquire(caller);
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of piecesOf(clickhouse, request, { signal: caller.signal })) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      release();
    }
  };
  return { open, page };
};

/** An answer that is not known to be short after this time streams, so that a long query is not cut by the deadline. */
const shortMsMax = 5_000;
/** From the first byte of a stream to its last. */
const streamMsMax = 3_600_000;

const abandoned = (): DOMException => new DOMException('Nobody reads the rest of the stream.', 'AbortError');

const counted = z.object({ n: z.int() });
/** A row group of Parquet, and more bytes of text than a short answer has. */
const longRowsMin = { binary: 131_072, text: 32_768 } as const;

/**
 * The start of Parquet costs megabytes here, and some hundred thousand rows in ClickHouse. Who would be refused after it, is refused
 * before.
 */
const isLong = async (clickhouse: ClickHouse, request: StreamRequest, signal: AbortSignal): Promise<boolean> => {
  const { form, countSql, params } = request;
  if (countSql === undefined) return false;
  const rowsMin = longRowsMin[isBinaryForm(form) ? 'binary' : 'text'];
  const [found] = await rows(clickhouse, { sql: countSql(rowsMin), params, signal }, counted).catch(throwReadError);
  return (found?.n ?? 0) >= rowsMin;
};

/** For whom no place is free: this long to show that the answer needs none. */
const placelessMsMax = 500;

/** Throws `unavailable` within that time, also when every slot is taken. Nothing is read for an answer that would be refused. */
const requireShort = async (
  { clickhouse, slots }: RowStreamDeps,
  request: StreamRequest,
  { account, signal, remainingMs }: ReadCaller,
): Promise<void> => {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(placelessMsMax)]);
  const caller = { account, signal: ended, remainingMs: Math.min(remainingMs, placelessMsMax) };
  const isShort = await slots
    .run(caller, async () => !(await isLong(clickhouse, request, ended)))
    .catch((error: unknown) => {
      if (ended.aborted) return false;
      throw error;
    });
  if (!isShort) throw noPlace();
};

const isDivided = (request: StreamRequest): request is DividedRequest => request.parts !== undefined;

interface Begin {
  readonly chunks: readonly Buffer[];
  /** The rows of an answer that ends with these chunks. */
  readonly count?: number;
}

/** The first two chunks, or all of a short answer. */
const beginOf = async (pieces: Pieces): Promise<Begin> => {
  const chunks: Buffer[] = [];
  while (chunks.length < 2) {
    const next = await pieces.next();
    if (next.done === true) return { chunks, count: next.value };
    chunks.push(next.value);
  }
  return { chunks };
};

async function* continued(begin: Promise<Begin>, pieces: Pieces): Pieces {
  const { chunks, count } = await begin;
  yield* chunks;
  return count ?? (yield* pieces);
}

const shortRows = (chunks: readonly Buffer[], count: number): ShortRows => {
  const bytes = Buffer.concat(chunks);
  return { bytes, trailer: trailerOf(createHash('sha256').update(bytes), count) };
};

interface Begun<Request extends StreamRequest = StreamRequest> {
  readonly request: Request;
  readonly caller: ReadCaller;
  /** Ends the first query. */
  readonly life: AbortController;
  readonly begin: Promise<Begin>;
  readonly pieces: Pieces;
  /** The account has this stream no longer. */
  readonly leave: () => void;
}

/** The first query goes on if there is a slot for it now. Otherwise the next part waits for its turn. */
const divided = (
  { clickhouse, streamSlots: slots }: RowStreamDeps,
  { request, caller, life, begin, pieces, leave, known }: Begun<DividedRequest> & { readonly known: Begin | void },
): LongRows => {
  const release = freeSlot(slots);
  const end = (): void => {
    life.abort(abandoned());
    release?.();
  };
  const first: Part = {
    pieces: release === undefined ? ready(known?.chunks ?? [], 0) : continued(begin, pieces),
    limit: release === undefined ? 0 : Infinity,
    end,
  };
  if (release === undefined) end();
  const whole = new AbortController();
  const timer = setTimeout(() => whole.abort(tooLong()), streamMsMax);
  const abandon = (): void => {
    clearTimeout(timer);
    whole.abort(abandoned());
    end();
    leave();
  };
  const reader = { account: caller.account, signal: whole.signal, remainingMs: streamMsMax };
  const rest = rowsInParts({ clickhouse, slots, request, caller: reader, first });
  return { first: new Uint8Array(), rest: ending(rest, abandon), abandon };
};

const freeSlot = (slots: HeldSlots): (() => void) | undefined => {
  try {
    return slots.acquireNow();
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
};

const tooLong = (): DOMException => new DOMException('A bulk read ends after an hour.', 'TimeoutError');

/** One query until the end. It gives way to another stream if its reader is slow. */
const held = async (
  { held: streams }: RowStreamDeps,
  { caller, life, begin, pieces, leave }: Begun,
): Promise<LongRows> => {
  const place = await streams.enter(caller, () => life.abort(slowReader()));
  const abandon = (): void => {
    life.abort(abandoned());
    place.leave();
    leave();
  };
  const rest = heldRows(continued(begin, pieces), { place, signal: life.signal });
  return { first: new Uint8Array(), rest: ending(rest, abandon), abandon };
};

async function* heldRows(
  pieces: Pieces,
  { place, signal }: { readonly place: Place; readonly signal: AbortSignal },
): ReplyChunks {
  const hash = createHash('sha256');
  try {
    let next = await pieces.next();
    for (; next.done !== true; next = await pieces.next()) {
      signal.throwIfAborted();
      hash.update(next.value);
      yield next.value;
      place.taken();
    }
    return trailerOf(hash, next.value);
  } catch (error) {
    throw signal.reason instanceof DomainError ? signal.reason : error;
  }
}

const ending = (chunks: ReplyChunks, end: () => void): ReplyChunks =>
  chunkIterator(
    () => chunks.next(),
    () => {
      end();
      chunks.return({}).catch(() => undefined);
    },
  );
