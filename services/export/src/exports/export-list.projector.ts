import { type Bus, consumeBatches, durables, type Running } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { exportState, type ExportState } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { rowOf, storeExports } from './export-rows.js';

const batchMax = 1_000;
/** Each insert creates a part that ClickHouse has to merge. A list query waits until the table is up to date. */
const everyMs = 100;
/** If a process ends, its unacknowledged messages are redelivered after this. A running batch extends the time. */
const ackWaitMs = 3_000;

/** Writes the table of export lists. A redelivered batch inserts equal rows, and ClickHouse keeps one of each. */
export const projectExportList = (bus: Bus, clickhouse: ClickHouse, log: Logger): Promise<Running> =>
  consumeBatches<ExportState>(bus, {
    stream: 'EVT_EXPORT',
    durable: durables.exportList,
    state: exportState,
    batchMax,
    everyMs,
    ackWaitMs,
    onFailure: (error, { subject, seq }, next) =>
      log.error({ err: error, subject, seq, next }, 'the list of exports could not be updated'),
    handle: async (messages) => {
      const rows = messages.map(rowOf).filter((row) => row !== null);
      await storeExports(clickhouse, rows);
    },
  });
