import { type Bus, consumeBatches, durables, type Running } from '@almanac/bus';
import type { ClickHouse } from '@almanac/clickhouse';
import { exportState, type ExportState } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { rowOf, storeExports } from './export-rows.js';

const batchMax = 1_000;
/** Each insert is a part that ClickHouse has to merge; a list that is asked for waits for what it must show. */
const everyMs = 100;
/** What was under way to a process that ended comes again after this; what is in hand is held on to. */
const ackWaitMs = 3_000;

/** Keeps the table of exports that lists are read from. A batch that comes again inserts equal rows, of which one stays. */
export const projectExportList = (bus: Bus, clickhouse: ClickHouse, log: Logger): Promise<Running> =>
  consumeBatches<ExportState>(bus, {
    stream: 'EVT_EXPORT',
    durable: durables.exportList,
    state: exportState,
    batchMax,
    everyMs,
    ackWaitMs,
    onFailure: (error, { subject, seq }, next) =>
      log.error({ err: error, subject, seq, next }, 'the list of exports could not be brought up to date'),
    handle: async (messages) => {
      const rows = messages.map(rowOf).filter((row) => row !== null);
      await storeExports(clickhouse, rows);
    },
  });
