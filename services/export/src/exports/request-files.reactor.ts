import { randomUUID } from 'node:crypto';
import { type Bus, consume, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import { exportState, type ExportState, fileState, type FileState, type StoredFile } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { fileQueryOf } from '../files/file-key.js';
import { fileDecider } from '../files/file.decider.js';
import { addWaiter } from '../files/waiters.js';
import { endExport } from './end-export.js';
import { recordOthers } from './export-group.js';

const appendTimeoutMs = 5_000;

/**
 * Records the other exports of a request, unless its process has done so, and requests the file of each new export. If
 * the file is ready, the export is ready at once. Otherwise the export waits for it. A redelivery changes nothing: an
 * export waits for a file once, and ends once.
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

type Pending = Extract<ExportState, { status: 'pending' }>;

const requestFile = async (store: EventStore, pending: Pending): Promise<void> => {
  const { account, id, file_key } = pending;
  const waiter = { account, export_id: id };
  const file = readyFile((await store.load(subjects.file(file_key), fileState))?.state) ?? (await wait(store, pending));
  if (file === null) return;
  await endExport(store, waiter, { type: 'complete', ready: { ...file, ready_us: Date.now() * 1_000 } });
};

const readyFile = (state: FileState | undefined): StoredFile | null => (state?.status === 'ready' ? state.file : null);

/** Waits for the file and requests it, unless another export has. Returns the file if it became ready meanwhile. */
const wait = async (
  store: EventStore,
  { account, id, question, file_key, requested_us, markets }: Pending,
): Promise<StoredFile | null> => {
  await addWaiter(store, file_key, { account, export_id: id });
  const outcome = await execute(store, fileDecider(file_key), {
    subject: subjects.file(file_key),
    command: { type: 'want', request: { question: fileQueryOf(question), requested_us, markets } },
    id: randomUUID(),
    account: null,
    time: Date.now() * 1_000,
    timeoutMs: appendTimeoutMs,
  });
  return readyFile(outcome?.state);
};
