import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouse } from '@almanac/clickhouse';
import { objectStoreFromConfig, watchObjectStore } from '@almanac/object-store';
import { fewerSlots, type HeldSlots, type Runtime } from '@almanac/runtime';
import { objectStoreOf, type TimeseriesConfig } from '../config.js';
import { slabFolder } from './slab-folder.js';
import { slabMetrics } from './slab-metrics.js';
import { slabStore } from './slab-store.js';
import { type Slabs, slabs } from './slabs.js';

const mebibyte = 1_048_576;

/** Undefined if the configuration turns them off, or without a folder that can be written. */
export const startSlabs = async (
  config: TimeseriesConfig,
  runtime: Runtime,
  { clickhouse, slots }: { readonly clickhouse: ClickHouse; readonly slots: HeldSlots },
): Promise<Slabs | undefined> => {
  const { TIMESERIES_FOLDER, SLABS_MB, READS_CONCURRENT } = config;
  if (SLABS_MB === 0) return undefined;
  const { log, onStop } = runtime;
  const path = TIMESERIES_FOLDER ?? (await temporaryFolder(runtime));
  if (path === undefined) return undefined;
  const metrics = slabMetrics(runtime);
  const folder = slabFolder({
    folder: join(path, 'slabs'),
    bytesMax: SLABS_MB * mebibyte,
    onDiscarded: (reason) => metrics.onDiscarded(reason),
    log,
  });
  metrics.watch(folder);
  // Half of the slots stay free for the reads of callers.
  const few = fewerSlots(slots, Math.max(1, Math.floor(READS_CONCURRENT / 2)));
  const s3 = objectStoreOf(config);
  if (s3 !== undefined) watchObjectStore(s3, runtime);
  const store = s3 && slabStore({ objects: objectStoreFromConfig(s3), folder, metrics, log });
  const made = slabs({ clickhouse, folder, store, slots: few, metrics, log, isBusy: () => slots.waiting > 0 });
  onStop('slabs', () => made.stop());
  return made;
};

/** Of this process alone, because another system can have the same markets with other data. */
const temporaryFolder = async ({ log, onStop }: Runtime): Promise<string | undefined> => {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'almanac-timeseries-'));
    onStop('slabs folder', () => rm(folder, { recursive: true, force: true }));
    return folder;
  } catch (error) {
    log.warn({ err: error }, 'no temporary folder can be made, so no rows are stored on disk');
    return undefined;
  }
};
