import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { DomainError, type ExportState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { unixMicros } from '@almanac/runtime';
import { datasetChanged, otherBytes } from '../datasets/dataset-changes.js';
import { fileDecider } from '../files/file.decider.js';
import { isObjectMissing } from '../files/missing-object.js';
import { addWaiter } from '../files/waiters.js';
import { endExport } from './end-export.js';

export type ReadyExport = Extract<ExportState, { status: 'ready' }>;

interface Stores {
  readonly store: EventStore;
  readonly objects: ObjectStore;
}

const appendTimeoutMs = 3_000;
/** A file that became ready within this time is not checked. */
const freshFileUs = 60e6;

/** The export, if its object exists. `missing`: a reader did not find it. Throws `export_restoring` otherwise. */
export const ensureFile = async (stores: Stores, ready: ReadyExport, missing: boolean): Promise<ReadyExport> =>
  (await isMissing(stores.objects, ready, missing)) ? restored(stores.store, ready) : ready;

/** A reader that found no object must not be told that the object exists, so an outage is an error then. */
const isMissing = async (objects: ObjectStore, { file, ready_us }: ReadyExport, missing: boolean): Promise<boolean> => {
  if (!missing && unixMicros() - ready_us < freshFileUs) return false;
  return isObjectMissing(objects, file.storage_key, missing ? {} : { whenUnknown: false });
};

/**
 * The export with the file that replaces the vanished one. Throws until that file is ready, and `dataset_changed` if the
 * export is of a dataset and the new file has other bytes.
 */
const restored = async (store: EventStore, ready: ReadyExport): Promise<ReadyExport> => {
  const waiter = { account: ready.account, export_id: ready.id };
  await addWaiter(store, ready.file_key, waiter);
  const outcome = await execute(store, fileDecider(ready.file_key), {
    subject: subjects.file(ready.file_key),
    command: { type: 'vanish', storage_key: ready.file.storage_key },
    id: randomUUID(),
    account: null,
    time: unixMicros(),
    timeoutMs: appendTimeoutMs,
  });
  const file = outcome?.state.status === 'ready' ? outcome.state.file : null;
  if (file === null) {
    const more = { retry_after_s: 5 };
    throw new DomainError('export_restoring', 'The file is being prepared again. Try again in a few seconds.', {
      more,
    });
  }
  if (ready.dataset !== undefined && ready.dataset.sha256 !== file.sha256) throw datasetChanged([otherBytes]);
  await endExport(store, waiter, { type: 'complete', ready: { ...file, ready_us: ready.ready_us } });
  return { ...ready, file };
};
