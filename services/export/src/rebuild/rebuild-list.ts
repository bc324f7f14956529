import { acknowledgedUpTo, type Bus, durables, readStream, streamState } from '@almanac/bus';
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
  /** Called for each message that is not an event. It is skipped, as in the service. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
  /** Ends the rebuild. The table in use does not change. */
  readonly signal: AbortSignal;
  /** Another rebuild without a heartbeat for this long counts as dead. Default 20,000. */
  readonly expiryMs?: number;
}

const table = 'exports';
const tables = [table];
const batchMax = 5_000;

/**
 * Rebuilds the table of exports from EVT_EXPORT while queries read the old one and the service writes to both. Returns
 * the number of events (docs/decisions/016-rebuilt-beside.md). Throws RebuildRefusedError while another rebuild runs.
 */
export const rebuildList = async (deps: RebuildDeps): Promise<number> => {
  const { bus, clickhouse, signal, expiryMs = 20_000 } = deps;
  const lease = await acquireRebuildLease(clickhouse, { model: table, signal, expiryMs });
  try {
    await dropShadows(clickhouse, tables);
    await makeShadows(clickhouse, tables);
    // Events after this one are inserted into both tables.
    const { last_seq: end } = await streamState(bus, 'EVT_EXPORT');
    await copy(deps, { from: 1, upTo: end, into: shadowOf(table) });
    await lease.requireExclusive();
    signal.throwIfAborted();
    // An insert that was running during the exchange may be in the old table only, so it is written again.
    const acknowledged = await acknowledgedUpTo(bus, 'EVT_EXPORT', durables.exportList);
    await exchangeShadows(clickhouse, tables);
    const { last_seq: upTo } = await streamState(bus, 'EVT_EXPORT');
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
