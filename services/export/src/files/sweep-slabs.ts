import { type ObjectStore, slabsPrefix } from '@almanac/object-store';
import type { Logger } from '@almanac/runtime';

export interface SlabSweepOptions {
  readonly objects: Pick<ObjectStore, 'list' | 'delete' | 'openUploads' | 'abandonUpload'>;
  readonly log: Pick<Logger, 'info'>;
  /** Unfinished uploads of this age are removed. */
  readonly ageS: number;
  /** Slabs that were stored before this time are removed. 0: never. */
  readonly slabDays: number;
}

const dayMs = 86_400_000;

/**
 * Removes old slabs of timeseries, whose own key may not list the bucket. A slab that is read again is made again.
 * Several processes can do it at once.
 */
export const sweepSlabs = async (
  { objects, log, ageS, slabDays }: SlabSweepOptions,
  signal: AbortSignal,
  nowMs = Date.now(),
): Promise<number> => {
  for await (const upload of objects.openUploads(slabsPrefix)) {
    signal.throwIfAborted();
    if (upload.startedAt.getTime() <= nowMs - ageS * 1_000) await objects.abandonUpload(upload);
  }
  if (slabDays === 0) return 0;
  let removed = 0;
  for await (const { key, modifiedAt } of objects.list(slabsPrefix)) {
    signal.throwIfAborted();
    if (modifiedAt.getTime() > nowMs - slabDays * dayMs) continue;
    await objects.delete(key);
    removed += 1;
  }
  if (removed > 0) log.info({ removed }, 'removed old slabs');
  return removed;
};
