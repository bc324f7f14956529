import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import {
  datasetIdOf,
  type DatasetResponse,
  datasetState,
  type DatasetState,
  type ExportManifest,
  type FileState,
  isDatasetId,
  notFound,
  presentDataset,
  readTimeOf,
} from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { unpackManifest } from '../files/manifest.js';
import { datasetDecider } from './dataset.decider.js';

/** A dataset with its unpacked manifest. */
export interface Dataset {
  readonly state: DatasetState;
  readonly manifest: ExportManifest;
}

const appendTimeoutMs = 5_000;

/** What a dataset takes from its file. */
export type DatasetFile = Pick<FileState, 'key' | 'file' | 'manifest' | 'requested_us'>;

/**
 * Records the dataset of a ready file, unless it is known. Null for a file of a release that had no manifests. With
 * `isNew` it appends without a read.
 */
export const recordDataset = async (
  store: EventStore,
  { key, file, manifest, requested_us }: DatasetFile,
  { madeUs, isNew }: { readonly madeUs: number; readonly isNew: boolean },
): Promise<DatasetState | null> => {
  if (file === null || manifest === null) return null;
  const id = datasetIdOf(file.sha256);
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
  const loaded = isDatasetId(id) ? await store.load(subjects.dataset(id), datasetState) : undefined;
  if (loaded === undefined) throw notFound('dataset_not_found', id);
  return { state: loaded.state, manifest: await unpackManifest(loaded.state.manifest) };
};

/**
 * Any caller may see a dataset whose id it has (docs/decisions/068-datasets.md). With `asOf`, one of the present or of a later
 * time does not exist. Throws `dataset_not_found` and `as_of_in_future`.
 */
export const showDataset = async (
  store: EventStore,
  { id, asOf }: { readonly id: string; readonly asOf: number | undefined },
): Promise<DatasetResponse> => {
  readTimeOf(asOf);
  const { state, manifest } = await loadDataset(store, id);
  if (asOf !== undefined && (manifest.query.as_of ?? Infinity) > asOf) throw notFound('dataset_not_found', id);
  return presentDataset(state, manifest);
};
