import { type BytesInsert, type ClickHouse, insertBytes } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { hasBadValues } from './refusal.js';

/** A larger insert makes parts of a good size by itself. */
const usual = { smallBytesMax: 256 * 1_024, mergedBytesMax: 4 * 1_024 * 1_024 };

/** `rows` is what the body must have. */
export interface CountedInsert extends BytesInsert {
  readonly rows?: number;
}

interface WaitingInsert {
  readonly insert: CountedInsert;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface InsertQueue {
  /** Resolves when the rows can be queried. `body` has complete lines. Rejects if it has other rows than it should. */
  insert(insert: CountedInsert): Promise<void>;
}

/**
 * Merges small inserts into the same table. Each insert makes at least one part, and ClickHouse refuses inserts
 * while it has too many parts to merge. While an insert runs, later small ones wait and are then stored as one. So a
 * lone insert never waits, and many captures make as few parts as one.
 */
export const insertQueue = (clickhouse: ClickHouse, { smallBytesMax, mergedBytesMax } = usual): InsertQueue => {
  const queues = new Map<string, WaitingInsert[]>();
  const store = async (inserts: readonly WaitingInsert[]): Promise<void> => {
    try {
      await storeCounted(
        clickhouse,
        inserts.map(({ insert }) => insert),
      );
      for (const { resolve } of inserts) resolve();
    } catch (error) {
      // Only the insert with the bad value is refused.
      if (inserts.length > 1 && hasBadValues(error)) for (const one of inserts) await store([one]);
      else for (const { reject } of inserts) reject(error);
    }
  };
  const run = async (key: string, waiting: WaitingInsert[]): Promise<void> => {
    while (waiting.length > 0) await store(nextOf(waiting, mergedBytesMax));
    queues.delete(key);
  };
  return {
    insert: (insert) => {
      if (insert.body.length > smallBytesMax) return storeCounted(clickhouse, [insert]);
      return new Promise((resolve, reject) => {
        const key = [insert.table, insert.format, insert.coding, ...insert.columns].join();
        const waiting = queues.get(key);
        if (waiting !== undefined) return void waiting.push({ insert, resolve, reject });
        const started = [{ insert, resolve, reject }];
        queues.set(key, started);
        void run(key, started);
      });
    },
  };
};

/** Stores inserts as one. All have their number of rows, or none. */
const storeCounted = async (clickhouse: ClickHouse, inserts: readonly CountedInsert[]): Promise<void> => {
  const [first] = inserts;
  if (first === undefined) return;
  const found = await insertBytes(clickhouse, inserts.length === 1 ? first : merged(first, inserts));
  let declared = 0;
  for (const { rows } of inserts) {
    if (rows === undefined) return;
    declared += rows;
  }
  if (found !== declared)
    throw new DomainError('invalid_input', `The batch has ${found} rows, but it declares ${declared}.`);
};

/** Without a signal: if one caller no longer waits, the others still want their rows. */
const merged = ({ table, columns, format, coding }: BytesInsert, inserts: readonly BytesInsert[]): BytesInsert => ({
  table,
  columns,
  format,
  coding,
  body: Buffer.concat(inserts.map(({ body }) => body)),
});

/** Takes the next inserts, up to a size, and leaves out those whose callers no longer wait. */
const nextOf = (waiting: WaitingInsert[], mergedBytesMax: number): WaitingInsert[] => {
  const next: WaitingInsert[] = [];
  let bytes = 0;
  for (let [first] = waiting; first !== undefined; [first] = waiting) {
    const { insert, reject } = first;
    if (next.length > 0 && bytes + insert.body.length > mergedBytesMax) break;
    waiting.shift();
    if (insert.signal?.aborted === true) {
      reject(insert.signal.reason);
      continue;
    }
    bytes += insert.body.length;
    next.push(first);
  }
  return next;
};
