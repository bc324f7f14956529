import { setTimeout as pause } from 'node:timers/promises';
import { type Bus, consumerPosition, durables, follow, type Running } from '@almanac/bus';
import { DomainError, exportState } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { type ExportRow, rowOf } from './export-rows.js';

/** The newest exports in memory, because the table of exports follows the stream with a delay. */
export interface RecentExports extends Running {
  /**
   * The rows of an account that the table may lack, each in its newest version. Includes every event that was stored
   * before this call. Throws `unavailable` if the table is too far behind, or if NATS does not answer.
   */
  of(account: string, signal: AbortSignal): Promise<ExportRow[]>;
}

/** A few megabytes. The table is rarely more than a second behind, and 3 s after the end of a process. */
const rowsMax = 10_000;
const waitMsMax = 1_000;
const pollMs = 10;

export const recentExports = async (bus: Bus, log: Logger): Promise<RecentExports> => {
  const position = () => consumerPosition(bus, 'EVT_EXPORT', durables.exportList);
  const start = await position();
  /** In the order of their events. */
  const rows = new Map<string, ExportRow>();
  let droppedUpTo = Math.max(start.acknowledged, start.lastSeq - rowsMax);
  const firstSeq = droppedUpTo + 1;
  const dropFirst = (): void => {
    for (const [id, { seq }] of rows) {
      rows.delete(id);
      droppedUpTo = seq;
      return;
    }
  };
  const following = await follow(bus, {
    stream: 'EVT_EXPORT',
    from: { seq: firstSeq },
    state: exportState,
    onUnreadable: (error, { subject, seq }) => log.error({ err: error, subject, seq }, 'an export could not be read'),
    onEvent: (message) => {
      const row = rowOf(message);
      if (row === null) return;
      rows.delete(row.id);
      rows.set(row.id, row);
      if (rows.size > rowsMax) dropFirst();
    },
  });

  const awaitReceived = async (seq: number, signal: AbortSignal): Promise<void> => {
    const deadline = performance.now() + waitMsMax;
    while (Math.max(following.seq, firstSeq - 1) < seq) {
      if (performance.now() + pollMs > deadline) throw notUpToDate();
      await pause(pollMs, undefined, { signal });
    }
  };
  return {
    of: async (account, signal) => {
      const { lastSeq, acknowledged } = await position();
      await awaitReceived(lastSeq, signal);
      if (acknowledged < droppedUpTo) throw notUpToDate();
      for (const [id, { seq }] of rows) {
        if (seq > acknowledged) break;
        rows.delete(id);
      }
      return [...rows.values()].filter((row) => row.account === account);
    },
    stop: () => following.stop(),
  };
};

const notUpToDate = (): DomainError =>
  new DomainError('unavailable', 'The list of exports is not up to date yet. Try again in a few seconds.');
