import { chunkBytes, type ReplyChunks } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import type { ReadCaller } from '@almanac/runtime';
import type { PartSlots } from './part-slots.js';
import { chunkIterator } from './chunk-iterator.js';
import { idleMs, partLength } from './part-length.js';
import { partTimes } from './part-times.js';
import { rowTally, type RowTally } from './row-tally.js';
import { type Pieces, piecesOf, type PiecesOptions, type RowParts, type StreamRequest } from './stream-pieces.js';

export interface Part {
  pieces: Pieces;
  /** The most rows of its query. */
  readonly limit: number;
  /** What follows a part with as many rows, or with fewer. Returns whether it is the last one. Default: one with fewer is. */
  readonly ended?: (isFull: boolean) => boolean;
  /** Ends its query and frees its slot. May be called repeatedly. */
  readonly end: () => void;
}

export interface DividedRequest extends StreamRequest {
  readonly parts: RowParts;
}

export interface PartsOptions {
  readonly clickhouse: ClickHouse;
  readonly slots: PartSlots;
  readonly request: DividedRequest;
  /** Of the whole read. Its signal ends it. */
  readonly caller: ReadCaller;
  readonly first: Part;
}

/** While others wait for a slot, a query keeps its own for this long. */
const turnMs = 1_000;

/**
 * The rows of a text in parts, one query each, so that a slow reader holds no slot and no query while it does not read. Each
 * row that was stored at the start is in a part. After several parts, all is read once more and
 * compared: so an answer that has its end is the answer of one query, too. Throws `unavailable` if it is not.
 */
export const rowsInParts = ({ first, ...options }: PartsOptions): ReplyChunks => {
  const tally = rowTally(options.request.header);
  const times = partTimes(options.request.parts.times);
  let part: Part | undefined = first;
  const length = partLength();
  let [count, beganAt] = [0, performance.now()];
  const end = (): void => {
    if (part !== undefined) endPart(part);
    part = undefined;
  };
  const offer = chunkOffers(() => tally.isAtEnd && end());
  const produce: ReplyChunks['next'] = async () => {
    length.taken(offer.taken(), tally.bytes);
    if (options.slots.waiting > 0 && performance.now() - beganAt > turnMs && tally.isAtEnd) end();
    for (;;) {
      if (part === undefined) {
        part = await partAfter({ tally, times, length }, options);
        beganAt = performance.now();
        count += 1;
      }
      const { limit, pieces, ended = (isFull) => !isFull }: Part = part;
      const next = await pieces.next();
      if (next.done !== true) {
        tally.add(next.value);
        offer.begin();
        return next;
      }
      end();
      const isFull = next.value >= limit;
      if (ended(isFull)) break;
      if (isFull && limit > 0) length.whole(tally.bytes);
    }
    if (count > 0) await requireUnchanged(tally, options);
    return { done: true, value: tally.trailer(tally.rows) };
  };
  return chunkIterator(produce, () => {
    offer.taken();
    end();
  });
};

/** Calls the listener when a chunk was offered and not taken for a while. */
const chunkOffers = (onIdle: () => void) => {
  let offeredAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin: (): void => {
      offeredAt = performance.now();
      timer = setTimeout(onIdle, idleMs);
    },
    /** How long the reader needed for the last chunk, if it has not been told before. */
    taken: (): number => {
      clearTimeout(timer);
      const ms = offeredAt === undefined ? 0 : performance.now() - offeredAt;
      offeredAt = undefined;
      return ms;
    },
  };
};

/** A generator refers to its chunks even after its end, and the reader may wait for long. */
const endPart = (part: Part): void => {
  part.end();
  part.pieces.return(0).catch(() => undefined);
  part.pieces = ready([], 0);
};

/** Waits for a slot, in turn. A part of one chunk is read at once, so that its slot is free before the reader has it. */
const partAfter = async ({ tally, times, length }: Position, options: PartsOptionsOfNext): Promise<Part> => {
  const { request } = options;
  const { isSlow, chunks } = length;
  const limit = tally.isEmpty ? firstRows : Math.max(1, Math.floor((chunks * filledBytes) / tally.rowBytes));
  const sent = tally.isEmpty ? undefined : { rows: tally.rows, lastUs: request.parts.timeIn(tally.lastLine) };
  // A long part may read on to the end of the window: it needs most of what the query reads.
  const partTime = sent && times.next(sent, isSlow ? limit : Infinity);
  const part = await startPart(options, {
    params: { ...request.params, ...partTime },
    limit,
    withHeader: tally.isEmpty,
    isSlow,
    ...(partTime !== undefined && { ended: times.ended }),
  });
  if (!isSlow) return part;
  try {
    const pieces: Buffer[] = [];
    let next = await part.pieces.next();
    for (; next.done !== true; next = await part.pieces.next()) pieces.push(next.value);
    return { ...part, pieces: ready(pieces, next.value) };
  } finally {
    part.end();
  }
};

interface Position {
  readonly tally: RowTally;
  readonly times: ReturnType<typeof partTimes>;
  readonly length: Pick<ReturnType<typeof partLength>, 'chunks' | 'isSlow'>;
}

type PartsOptionsOfNext = Omit<PartsOptions, 'first'>;

/** A part of the average length of the rows before it fits into a chunk. */
const filledBytes = chunkBytes * 0.9;
/** Of the first part of a read whose first rows took too long. */
const firstRows = 1_000;

/** What was read already. */
// oxlint-disable-next-line typescript/require-await -- a generator of the same type as a query's
export async function* ready(pieces: readonly Buffer[], rows: number): Pieces {
  yield* pieces;
  return rows;
}

const startPart = async (
  { clickhouse, slots, request, caller }: PartsOptionsOfNext,
  {
    isSlow = false,
    ended,
    ...options
  }: Omit<PiecesOptions, 'signal'> & Pick<Part, 'ended'> & { readonly isSlow?: boolean },
): Promise<Part> => {
  const release = await (isSlow ? slots.acquireSlow(caller) : slots.acquire(caller));
  const life = new AbortController();
  const signal = AbortSignal.any([life.signal, caller.signal]);
  const end = (): void => {
    life.abort();
    release();
  };
  caller.signal.addEventListener('abort', release, { once: true });
  const pieces = piecesOf(clickhouse, request, { ...options, signal });
  return { pieces, limit: options.limit ?? Infinity, end, ...(ended !== undefined && { ended }) };
};

/** The same rows in one query have the same hash. A data version would be known later than the rows. */
const requireUnchanged = async (tally: RowTally, options: PartsOptionsOfNext): Promise<void> => {
  const { request } = options;
  if (tally.rows === 0) return;
  const again = rowTally(request.header);
  const params = { ...request.params, end_us: request.parts.timeIn(tally.lastLine) + 1 };
  const part = await startPart(options, { params });
  try {
    for await (const chunk of part.pieces) again.add(chunk);
  } finally {
    part.end();
  }
  if (again.sha256() !== tally.sha256()) throw changed();
};

const changed = (): DomainError =>
  new DomainError('unavailable', 'The rows of this market changed during the read. Read them again.');
