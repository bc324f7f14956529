import { setTimeout as pause } from 'node:timers/promises';
import {
  acknowledgedWith,
  type Bus,
  durables,
  follow,
  nextMessage,
  patterns,
  readEvent,
  type Running,
  streamState,
} from '@almanac/bus';
import { DomainError, exportState } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { type ExportRow, rowOf } from './export-rows.js';
import { lastKnown } from './last-known.js';

/** The newest exports in memory, because the table of exports follows the stream with a delay. */
export interface RecentExports extends Running {
  /**
   * The rows of an account that the table may lack, each in its newest version. Includes every event that was stored
   * before this call. While EVT_EXPORT has no leader, nothing is stored, and events of the last second may be missing. Throws
   * `unavailable` if the table is too far behind, or if NATS does not answer for longer than `staleMs`.
   */
  of(account: string, signal: AbortSignal): Promise<ExportRow[]>;
}

/** A few megabytes. The table is rarely more than a second behind, and 3 s after the end of a process. */
const rowsMax = 10_000;
/** A subscription that was lost with its server is back after 3 s. After this wait, its events are read one by one. */
const waitMs = 300;
const waitMsMax = 4_000;
const pollMs = 10;
const missingMax = 50;
/** While a rebuild exchanges the table, a row that was being inserted is missing in the new one until the rebuild writes it again. */
const exchangeMsMax = 10_000;

export const recentExports = async (bus: Bus, log: Logger, staleMs: number): Promise<RecentExports> => {
  const list = { stream: 'EVT_EXPORT', durable: durables.exportList, partition: 0 } as const;
  const end = lastKnown(async () => (await streamState(bus, 'EVT_EXPORT')).last_seq, staleMs);
  let endSeq = await end.read();
  // An earlier position only leaves more rows in memory.
  const handled = lastKnown(() => acknowledgedWith(bus, { ...list, lastSeq: endSeq }), Infinity);
  const [startSeq, startAcknowledged] = [endSeq, await handled.read()];
  const rows = recentRows(Math.max(startAcknowledged, startSeq - rowsMax));
  const acknowledgedBefore = positionBefore(exchangeMsMax);
  const firstSeq = rows.droppedUpTo + 1;
  const following = await follow(bus, {
    stream: 'EVT_EXPORT',
    from: { seq: firstSeq },
    state: exportState,
    onUnreadable: (error, { subject, seq }) => log.error({ err: error, subject, seq }, 'an export could not be read'),
    onEvent: (message) => {
      const row = rowOf(message);
      if (row !== null) rows.put(row);
    },
  });

  const received = (): number => Math.max(following.seq, firstSeq - 1);
  const awaitReceived = (seq: number, signal: AbortSignal, ms: number) => awaitPosition(received, seq, { signal, ms });
  /** Nobody knows which is sooner: a read at the stream's leader, or the subscription. */
  const missingOrReceived = (account: string, upTo: number, signal: AbortSignal): Promise<ExportRow[]> =>
    Promise.any([
      missingRows(bus, account, { from: received() + 1, upTo }),
      awaitReceived(upTo, signal, waitMsMax).then((): ExportRow[] => []),
    ]).catch(() => {
      throw notUpToDate();
    });
  return {
    of: async (account, signal) => {
      // The end is read before what is acknowledged counts, so an earlier end is enough for it.
      const [lastSeq, acknowledged] = await Promise.all([end.current(), handled.current()]);
      endSeq = Math.max(endSeq, lastSeq);
      const isReceived = await awaitReceived(lastSeq, signal, waitMs).then(
        () => true,
        () => false,
      );
      const found = isReceived ? [] : await missingOrReceived(account, lastSeq, signal);
      if (acknowledged < rows.droppedUpTo) throw notUpToDate();
      rows.dropUpTo(acknowledgedBefore(acknowledged));
      const newest = rows.of(account);
      for (const row of found) newest.set(row.id, row);
      return [...newest.values()];
    },
    stop: async () => {
      await Promise.all([end.stop(), handled.stop(), following.stop()]);
    },
  };
};

/** The newest version of each export, in the order of their events, and at most `rowsMax`. */
const recentRows = (droppedAtStart: number) => {
  const rows = new Map<string, ExportRow>();
  let droppedUpTo = droppedAtStart;
  const dropFirst = (): void => {
    for (const [id, { seq }] of rows) {
      rows.delete(id);
      droppedUpTo = seq;
      return;
    }
  };
  return {
    /** The last event whose row was dropped because there are too many. */
    get droppedUpTo() {
      return droppedUpTo;
    },
    put: (row: ExportRow): void => {
      rows.delete(row.id);
      rows.set(row.id, row);
      if (rows.size > rowsMax) dropFirst();
    },
    dropUpTo: (acknowledged: number): void => {
      for (const [id, { seq }] of rows) {
        if (seq > acknowledged) return;
        rows.delete(id);
      }
    },
    of: (account: string): Map<string, ExportRow> => new Map([...rows].filter(([, row]) => row.account === account)),
  };
};

/** Remembers a growing position about once a second. Returns what it was this long ago, or 0 if that is not known. */
const positionBefore = (ms: number): ((now: number) => number) => {
  const known: { readonly atMs: number; readonly position: number }[] = [];
  return (position) => {
    const nowMs = performance.now();
    const isAgo = (one: (typeof known)[number] | undefined, least: number): boolean =>
      one !== undefined && nowMs - one.atMs >= least;
    if (known.length === 0 || isAgo(known.at(-1), 1_000)) known.push({ atMs: nowMs, position });
    while (isAgo(known[1], ms)) known.shift();
    const [oldest] = known;
    return oldest !== undefined && isAgo(oldest, ms) ? oldest.position : 0;
  };
};

/** Throws `unavailable` after the time. */
const awaitPosition = async (
  position: () => number,
  seq: number,
  { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
): Promise<void> => {
  for (const deadline = performance.now() + ms; position() < seq;) {
    if (performance.now() > deadline) throw notUpToDate();
    await pause(pollMs, undefined, { signal });
  }
};

/** The rows of an account whose events the stream has in this range. Throws `unavailable` if there are many. */
const missingRows = async (
  bus: Bus,
  account: string,
  { from, upTo }: { readonly from: number; readonly upTo: number },
): Promise<ExportRow[]> => {
  const found: ExportRow[] = [];
  let seq = from;
  for (let reads = 0; seq <= upTo; reads += 1) {
    if (reads === missingMax) throw notUpToDate();
    const message = await nextMessage(bus, 'EVT_EXPORT', { subject: patterns.exportsOf(account), seq });
    if (message === null) break;
    seq = message.seq + 1;
    const row = readableRow(message);
    if (row !== null) found.push(row);
  }
  return found;
};

/** Null for what is no event. The follower reports it. */
const readableRow = (message: Parameters<typeof readEvent>[0]): ExportRow | null => {
  try {
    return rowOf(readEvent(message, exportState));
  } catch {
    return null;
  }
};

const notUpToDate = (): DomainError =>
  new DomainError('unavailable', 'The list of exports is not up to date yet. Try again in a few seconds.');
