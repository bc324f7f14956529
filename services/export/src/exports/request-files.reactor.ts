import { randomUUID } from 'node:crypto';
import { type Bus, consume, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import { exportState, type ExportState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { fileQueryOf } from '../files/file-key.js';
import { fileDecider } from '../files/file.decider.js';
import { endExport } from './end-export.js';
import { recordOthers } from './export-group.js';

const appendTimeoutMs = 5_000;

/**
 * Records the other exports of a request, unless its process has done so, and requests the file of each new export. If the file is ready, the export is ready at once. Otherwise the export waits
 * for it. A redelivery changes nothing: a file lists its waiters, and an export ends once.
 */
export const requestFiles = (bus: Bus, store: EventStore, log: Logger): Promise<Running> =>
  consume<ExportState>(bus, {
    stream: 'EVT_EXPORT',
    durable: durables.exportFiles,
    state: exportState,
    concurrency: 8,
    deliveriesMax: 100,
    onFailure: (error, { subject, seq }, next) =>
      log.warn({ err: error, subject, seq, next }, 'the file of an export could not be requested'),
    handle: async ({ subject, event }: EventMessage<ExportState>) => {
      if (event.type !== 'ExportRequested') return;
      await recordOthers(store, event.state);
      const current = (await store.load(subject, exportState))?.state;
      if (current?.status === 'pending') await requestFile(store, current);
    },
  });

const requestFile = async (store: EventStore, pending: Extract<ExportState, { status: 'pending' }>): Promise<void> => {
  const { account, id, question, file_key, requested_us } = pending;
  const waiter = { account, export_id: id };
  const outcome = await execute(store, fileDecider(file_key), {
    subject: subjects.file(file_key),
    command: { type: 'want', request: { question: fileQueryOf(question), waiter, requested_us } },
    id: randomUUID(),
    account: null,
    time: Date.now() * 1_000,
    timeoutMs: appendTimeoutMs,
  });
  const file = outcome?.state.status === 'ready' ? outcome.state.file : null;
  if (file === null) return;
  await endExport(store, waiter, { type: 'complete', ready: { ...file, ready_us: Date.now() * 1_000 } });
};
