import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import {
  datasetIdOf,
  datasetState,
  type DatasetState,
  type ExportManifest,
  type FileState,
  isDatasetId,
  notFound,
} from '@almanac/contracts';
import { type EventStore, execute, loadOrConfirm } from '@almanac/event-store';
import { unpackManifest } from '../files/manifest.js';
import { datasetDecider } from './dataset.decider.js';

/** A dataset with its unpacked manifest. */
export interface Dataset {
  readonly state: DatasetState;
  readonly manifest: ExportManifest;
}

const appendTimeoutMs = 5_000;

/** What a dataset takes from its file. */
export type DatasetFile = Pick<FileState, 'key' | 'query' | 'file' | 'manifest' | 'requested_us'>;

/**
 * Records the dataset of a ready file, unless it is known. Null for a file of a release that had no manifests. With
 * `isNew` it appends without a read.
 */
export const recordDataset = async (
  store: EventStore,
  { key, query, file, manifest, requested_us }: DatasetFile,
  { madeUs, isNew }: { readonly madeUs: number; readonly isNew: boolean },
): Promise<DatasetState | null> => {
  if (file === null || manifest === null) return null;
  const id = datasetIdOf(file.sha256, query.as_of);
  const { sha256, bytes } = file;
  const outcome = await execute(store, datasetDecider(id), {
    subject: subjects.dataset(id),
    command: { sha256, bytes, file_key: key, requested_us, made_us: madeUs, manifest },
    id: randomUUID(),
    ...(isNew ? { cachedState: null } : {}),
    account: null,
    time: madeUs,
    timeoutMs: appendTimeoutMs,
  });
  if (outcome === undefined) throw new Error('a record left no dataset');
  return outcome.state;
};

/** Throws `dataset_not_found`. */
export const loadDataset = async (store: EventStore, id: string): Promise<Dataset> => {
  const loaded = isDatasetId(id)
    ? await loadOrConfirm(store, { subject: subjects.dataset(id), state: datasetState })
    : undefined;
  if (loaded === undefined) throw notFound('dataset_not_found', id);
  return { state: loaded.state, manifest: await unpackManifest(loaded.state.manifest) };
};
