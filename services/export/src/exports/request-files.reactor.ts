import { randomUUID } from 'node:crypto';
import { type Bus, consume, durables, type EventMessage, type Running, subjects } from '@almanac/bus';
import {
  exportState,
  type ExportState,
  fileState,
  type FileState,
  type FileWaiter,
  type StoredFile,
} from '@almanac/contracts';
import { type EventStore, execute, type VersionedState } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { unixMicros } from '@almanac/runtime';
import { fileQueryOf } from '../files/file-key.js';
import { fileDecider } from '../files/file.decider.js';
import { addWaiter } from '../files/waiters.js';
import { endExport } from './end-export.js';
import { recordOtherExports } from './export-group.js';

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
      await recordOtherExports(store, event.state);
      const current = (await store.load(subject, exportState))?.state;
      if (current?.status === 'pending') await requestFile(store, current);
    },
  });

type Pending = Extract<ExportState, { status: 'pending' }>;

const requestFile = async (store: EventStore, pending: Pending): Promise<void> => {
  const waiter = { account: pending.account, export_id: pending.id };
  const file = await readyFileOr(store, pending, waiter);
  if (file === null) return;
  await endExport(store, waiter, { type: 'complete', ready: { ...file, ready_us: unixMicros() } });
};

/** The file if it is ready. Otherwise null, and the export waits for the file, which is requested. */
const readyFileOr = async (store: EventStore, pending: Pending, waiter: FileWaiter): Promise<StoredFile | null> => {
  const loaded = await store.load(subjects.file(pending.file_key), fileState);
  const isRequested = loaded?.state.status === 'ready' || loaded?.state.status === 'requested';
  const first = isRequested ? loaded.state : await requestOnce(store, pending, { waiter, cachedState: loaded ?? null });
  if (first.status === 'ready' || isWaiting(first, waiter)) return readyFile(first);
  await addWaiter(store, pending.file_key, waiter);
  return readyFile(await requestOnce(store, pending, { waiter }));
};

const isWaiting = ({ waiting }: FileState, { export_id: exportId }: FileWaiter): boolean =>
  waiting.some(({ export_id }) => export_id === exportId);

const readyFile = ({ status, file }: FileState): StoredFile | null => (status === 'ready' ? file : null);

/** Requests the file, unless another export has. */
const requestOnce = async (
  store: EventStore,
  { query, file_key, requested_us, markets, dataset }: Pending,
  { waiter, ...cached }: { waiter: FileWaiter; cachedState?: VersionedState<FileState> | null },
): Promise<FileState> => {
  const outcome = await execute(store, fileDecider(file_key), {
    subject: subjects.file(file_key),
    command: {
      type: 'want',
      // A dataset shows the markets as live that it showed as live when it was made.
      request: {
        query: fileQueryOf(query),
        requested_us: dataset?.requested_us ?? requested_us,
        markets,
        waiter,
      },
    },
    id: randomUUID(),
    ...cached,
    account: null,
    time: unixMicros(),
    timeoutMs: appendTimeoutMs,
  });
  if (outcome === undefined) throw new Error('a request left no file');
  return outcome.state;
};
