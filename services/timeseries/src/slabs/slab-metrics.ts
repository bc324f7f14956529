import { counter, readGauge, type Runtime } from '@almanac/runtime';
import type { Discarded, SlabFolder } from './slab-folder.js';

/** `skipped`: the store failed a short time ago, or has too many requests. */
export type Fetched = 'found' | 'missing' | 'corrupt' | 'failed' | 'skipped';

export interface SlabMetrics {
  onRead(result: 'hit' | 'miss'): void;
  onMade(): void;
  onFailed(): void;
  onDiscarded(reason: Discarded): void;
  onFetched(answer: Fetched): void;
  onUploaded(outcome: 'stored' | 'failed'): void;
  /** Call it once. */
  watch(folder: Pick<SlabFolder, 'bytes' | 'count'>): void;
}

export const slabMetrics = ({ health: { metrics } }: Pick<Runtime, 'health'>): SlabMetrics => {
  const reads = counter(
    'almanac_slab_reads_total',
    'reads of rows and candles, by whether slabs had them',
    ['result'],
    metrics,
  );
  const made = counter('almanac_slabs_made_total', 'slabs made from stored rows', [], metrics);
  const failed = counter('almanac_slabs_failed_total', 'slabs that could not be made', [], metrics);
  const discarded = counter('almanac_slabs_discarded_total', 'deleted slabs, by reason', ['reason'], metrics);
  const fetched = counter(
    'almanac_slab_fetches_total',
    'requests for slabs of other processes in the object store, by answer',
    ['answer'],
    metrics,
  );
  const uploaded = counter(
    'almanac_slab_uploads_total',
    'slabs for other processes in the object store, by outcome',
    ['outcome'],
    metrics,
  );
  const readsBy = { hit: reads.labels('hit'), miss: reads.labels('miss') } as const;
  return {
    onRead: (result) => readsBy[result].inc(),
    onMade: () => made.inc(),
    onFailed: () => failed.inc(),
    onDiscarded: (reason) => discarded.inc({ reason }),
    onFetched: (answer) => fetched.inc({ answer }),
    onUploaded: (outcome) => uploaded.inc({ outcome }),
    watch: (folder) => {
      readGauge('almanac_slab_bytes', 'size of all slabs on the disk of this process', () => folder.bytes, metrics);
      readGauge('almanac_slabs', 'slabs on the disk of this process', () => folder.count, metrics);
    },
  };
};
