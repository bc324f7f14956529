import { type Bus, subjects } from '@almanac/bus';
import type { FileProgress } from '@almanac/contracts';

const everyMs = 1_000;

/** Publishes how many rows of a file are done: at once, then at most once a second. */
export const publishProgress = (bus: Bus, key: string, rows: number): ((rowsDone: number) => void) => {
  let publishedMs = -Infinity;
  return (rowsDone) => {
    const nowMs = performance.now();
    if (nowMs - publishedMs < everyMs || bus.nc.isClosed()) return;
    publishedMs = nowMs;
    const progress: FileProgress = { rows_done: Math.min(rowsDone, rows), rows };
    bus.nc.publish(subjects.fileProgress(key), JSON.stringify(progress));
  };
};
