import { randomUUID } from 'node:crypto';
import { type Bus, subjects } from '@almanac/bus';
import { type FileState, fileState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { unixMicros } from '@almanac/runtime';
import { windowOf } from '../files/target.js';
import { fileDecider } from '../files/file.decider.js';
import { isObjectMissing } from '../files/missing-object.js';
import { changesSince, datasetChanged, otherBytes } from './dataset-changes.js';
import type { Dataset } from './datasets.js';

export interface ReproduceDatasetDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly objects: ObjectStore;
}

/** How a dataset gets its bytes: from its stored file, or by preparing the file again. */
export interface Reproduction {
  /** The storage key of a file whose object is lost, if any. It must be prepared again. */
  readonly lost: string | null;
}

const appendTimeoutMs = 3_000;

/**
 * Finds out whether the file of a dataset can be had with the same bytes. `tickers` are the markets that the target has
 * now. Throws `dataset_changed` with what changed.
 *
 * A stored file has its bytes whatever changed since. But the events of a day or a range that must be paid for follow from
 * its markets, so these must be the same.
 */
export const reproduceDataset = async (
  deps: ReproduceDatasetDeps,
  dataset: Dataset,
  tickers: readonly string[],
): Promise<Reproduction> => {
  const { state, manifest } = dataset;
  const file = (await deps.store.load(subjects.file(state.file_key), fileState))?.state;
  const isSame = file?.status === 'ready' && file.file?.sha256 === state.sha256;
  const isStored = isSame && !(await isLost(deps.objects, file));
  const changes = await changesSince(deps.bus, dataset, tickers);
  const isPaidAlike =
    windowOf(manifest.query) === null || !changes.some(({ change }) => change === 'added' || change === 'removed');
  if (isStored && isPaidAlike) return { lost: null };
  if (changes.length > 0) throw datasetChanged(changes);
  if (file?.status === 'ready' && !isSame) throw datasetChanged([otherBytes]);
  return { lost: file?.file?.storage_key ?? null };
};

const isLost = async (objects: ObjectStore, { file }: FileState): Promise<boolean> =>
  file === null || (await isObjectMissing(objects, file.storage_key, { whenUnknown: false }));

/** Has a lost file of a dataset prepared again. */
export const restoreLost = async (store: EventStore, { state }: Dataset, { lost }: Reproduction): Promise<void> => {
  if (lost === null) return;
  await execute(store, fileDecider(state.file_key), {
    subject: subjects.file(state.file_key),
    command: { type: 'vanish', storage_key: lost },
    id: randomUUID(),
    account: null,
    time: unixMicros(),
    timeoutMs: appendTimeoutMs,
  });
};
