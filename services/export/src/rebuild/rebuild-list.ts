import { acknowledgedUpTo, type Bus, durables, readStream } from '@almanac/bus';
import {
  type ClickHouse,
  dropShadows,
  exchangeShadows,
  makeShadows,
  shadowOf,
  acquireRebuildLease,
} from '@almanac/clickhouse';
import { exportState } from '@almanac/contracts';
import { rowOf, storeExports } from '../exports/export-rows.js';

export interface RebuildDeps {
  /** As the user `export`. */
  readonly bus: Bus;
  /** As a user who may change the schema. */
  readonly clickhouse: ClickHouse;
  /** Hears what is no event and was left out, as the service does. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
  /** Ends it; the table that is read stays as it was. */
  readonly signal: AbortSignal;
  /** Another rebuild without a sign of life for so long is taken for dead. Default 20,000. */
  readonly expiryMs?: number;
}

const table = 'exports';
const tables = [table];
const batchMax = 5_000;

/**
 * Makes the table of exports anew from EVT_EXPORT while lists are read from the old one, and answers how many events it
 * read. The new one is filled beside the old; what the service writes meanwhile goes into both; then they change places.
 * Every row carries the sequence of its event, and the newest wins, so nothing depends on the order of writes. Throws
 * RebuildRefused while another one runs.
 */
export const rebuildList = async (deps: RebuildDeps): Promise<number> => {
  const { bus, clickhouse, signal, expiryMs = 20_000 } = deps;
  const lease = await acquireRebuildLease(clickhouse, { model: table, signal, expiryMs });
  try {
    await dropShadows(clickhouse, tables);
    await makeShadows(clickhouse, tables);
    // What is appended from here on is inserted from here on, and so into both.
    const { last_seq: end } = (await bus.jsm.streams.info('EVT_EXPORT')).state;
    await copy(deps, { from: 1, upTo: end, into: shadowOf(table) });
    await lease.requireExclusive();
    signal.throwIfAborted();
    // An insert that was on its way at the exchange may be in the old one alone, so it is written once more.
    const acknowledged = await acknowledgedUpTo(bus, 'EVT_EXPORT', durables.exportList);
    await exchangeShadows(clickhouse, tables);
    const { last_seq: upTo } = (await bus.jsm.streams.info('EVT_EXPORT')).state;
    await copy(deps, { from: Math.min(acknowledged, end) + 1, upTo, into: table });
    return end;
  } finally {
    try {
      await dropShadows(clickhouse, tables);
    } finally {
      await lease.release();
    }
  }
};

const copy = async (
  { bus, clickhouse, onUnreadable, signal }: RebuildDeps,
  { from, upTo, into }: { from: number; upTo: number; into: string },
): Promise<void> =>
  readStream(bus, {
    stream: 'EVT_EXPORT',
    from,
    upTo,
    state: exportState,
    map: rowOf,
    batchMax,
    onBatch: (rows) =>
      storeExports(
        clickhouse,
        rows.filter((row) => row !== null),
        into,
      ),
    onUnreadable,
    signal,
  });
