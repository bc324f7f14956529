import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

export const heapGrowthFlag = '--heap-growing-percent';

/** How much garbage there may be before all of it is collected. */
const garbageBytes = 40e6;
const percent = { least: 15, most: 100 };

/**
 * Collects the garbage of a process that passes on large answers after every 40 MB. Their buffers count as heap. With Node's own
 * limit, about a third of what is in use, timeseries and gateway marked their whole heap after every twelve answers of
 * 220 KB, which was half of their CPU time (measured). With a percentage alone, a process that keeps 200 MB would need as
 * much again for garbage.
 */
export const tuneGarbageCollection = (): void => {
  setFlagsFromString(`${heapGrowthFlag}=${percent.most}`);
  new PerformanceObserver((entries) => {
    if (entries.getEntries().some(isFullCollection)) {
      const { used_heap_size, external_memory } = getHeapStatistics();
      setFlagsFromString(`${heapGrowthFlag}=${heapGrowthPercent(used_heap_size + external_memory)}`);
    }
  }).observe({ entryTypes: ['gc'] });
};

export const heapGrowthPercent = (usedBytes: number): number =>
  Math.round(Math.min(percent.most, Math.max(percent.least, (100 * garbageBytes) / usedBytes)));

const isFullCollection = (entry: PerformanceEntry & { readonly detail?: unknown }): boolean => {
  const { detail } = entry;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail)) return false;
  return detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
};
