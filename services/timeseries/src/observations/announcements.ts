import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type ClickHouse, rows } from '@almanac/clickhouse';
import { type DataChange, type EventStore, recordDataChange } from '@almanac/event-store';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import { z } from 'zod';
import type { InsertQueue } from './insert-queue.js';
import type { RecentStates } from './recent-states.js';

const table = 'unannounced_batches';

const dataChange = z.object({
  ticker: z.string(),
  cause: z.enum(['observations', 'trades', 'candles']),
  rows: z.int(),
  min_us: z.int().nullable(),
  max_us: z.int().nullable(),
});
const changesIn = (text: string): DataChange[] => z.array(dataChange).parse(JSON.parse(text));
const pendingBatch = z.object({ id: z.uuid(), changes: z.string().transform(changesIn) });
const notedBatch = z.object({ changes: z.string(), announced: z.boolean() });

/** Concurrent appends for one batch. Each market has its own subject, so they do not conflict. */
const changesAtOnce = 32;

/** A batch that is not closed in time is announced again, after two minutes. So many are closed by one insert. */
const closeEveryMs = 5_000;

/** Further batches wait for the next round. */
const batchesMax = 1_000;

const appendTimeoutMs = 10_000;

interface AnnouncementsDeps {
  readonly clickhouse: ClickHouse;
  readonly inserts: InsertQueue;
  readonly store: EventStore;
  readonly recent: Pick<RecentStates, 'get'>;
  readonly log: Pick<Logger, 'warn'>;
}

export type Announcements = ReturnType<typeof announcements>;

/**
 * Announces stored batches as events of their markets. Each batch is noted before its rows are stored, so that a process
 * that dies before the events leaves a note. Another process then announces the batch.
 */
export const announcements = ({ clickhouse, inserts, store, recent, log }: AnnouncementsDeps) => {
  const write = (batches: readonly { id: string; announced: boolean; changes: string }[]): Promise<void> => {
    const body = Buffer.from(batches.map((batch) => `${JSON.stringify(batch)}\n`).join(''));
    return inserts.insert({ table, columns: ['id', 'announced', 'changes'], format: 'JSONEachRow', body });
  };
  const close = async (ids: readonly string[]): Promise<void> => {
    if (ids.length > 0) await write(ids.map((id) => ({ id, announced: true, changes: '' })));
  };
  let announced: string[] = [];
  const closeAnnounced = async (): Promise<void> => {
    const ids = announced;
    announced = [];
    try {
      await close(ids);
    } catch (error) {
      log.warn({ err: error, batches: ids.length }, 'announced batches stay open and will be announced again');
    }
  };
  const closing = setInterval(() => void closeAnnounced(), closeEveryMs);
  const announce = (changes: readonly DataChange[], timeoutMs: () => number): Promise<void> =>
    forEachConcurrent(changes, changesAtOnce, async (change) => {
      const subject = subjects.archive(change.ticker);
      const options = { timeoutMs: timeoutMs(), cachedState: recent.get(subject) };
      await recordDataChange(store, subject, change, options);
    });
  return {
    announce,
    /** Notes a batch. If its rows are stored and it is not closed, it will be announced. */
    open: async (changes: readonly DataChange[], id: string = randomUUID()): Promise<string> => {
      await write([{ id, announced: false, changes: JSON.stringify(changes) }]);
      return id;
    },
    /** The changes of a batch that was noted before: none if it is announced. Null: it was not. */
    noted: async (id: string): Promise<readonly DataChange[] | null> => {
      const sql = `SELECT id, changes, announced FROM ${table} WHERE id = {id:UUID} ORDER BY announced DESC LIMIT 1`;
      const [first] = await rows(clickhouse, { sql, params: { id } }, notedBatch);
      if (first === undefined) return null;
      return first.announced ? [] : changesIn(first.changes);
    },
    /** The batch was announced, or nothing of it was stored. Its note is removed later, with those of others. */
    close: (id: string): void => void announced.push(id),
    /** Announces the batches that are open for longer than any call lasts. Returns how many. */
    announceOpen: async (minAgeS: number): Promise<number> => {
      const sql = `SELECT id, changes FROM ${table} WHERE NOT announced AND id IN (
        SELECT id FROM ${table} GROUP BY id
        HAVING NOT max(announced) AND max(at) <= now64(3) - {min_age_s:UInt32} ORDER BY max(at) LIMIT ${batchesMax})
        LIMIT 1 BY id`;
      const open = await rows(clickhouse, { sql, params: { min_age_s: minAgeS } }, pendingBatch);
      if (open.length === 0) return 0;
      await announce(mergedByMarket(open.flatMap(({ changes }) => changes)), () => appendTimeoutMs);
      await close(open.map(({ id }) => id));
      return open.length;
    },
    stop: async (): Promise<void> => {
      clearInterval(closing);
      await closeAnnounced();
    },
  };
};

/** One change of each cause for each market. Retries of one batch leave a note each. */
const mergedByMarket = (changes: readonly DataChange[]): DataChange[] =>
  Array.from(Map.groupBy(changes, ({ cause, ticker }) => `${cause} ${ticker}`).values(), (own) =>
    own.reduce((a, b) => ({
      ...a,
      rows: a.rows + b.rows,
      min_us: lowest(a.min_us, b.min_us),
      max_us: highest(a.max_us, b.max_us),
    })),
  );

const lowest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
const highest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
