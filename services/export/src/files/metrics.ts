import { counter, gauge } from '@almanac/runtime';
import type { Registry } from 'prom-client';

/** Metrics of the workers. Further files wait in `almanac_consumer_pending{consumer="export-workers"}`. */
export const fileMetrics = (register: Registry) => ({
  attempts: counter(
    'almanac_export_files_total',
    'attempts to prepare a file: ready, failed, given_up after the last attempt, or waited for an unavailable store',
    ['outcome'],
    register,
  ),
  running: gauge(
    'almanac_export_files_running',
    'files that this process prepares, including those that wait for a store',
    register,
  ),
  waiting: gauge('almanac_export_files_waiting', 'files that wait for a worker of this process', register),
  bytes: counter('almanac_export_file_bytes_total', 'bytes of the files that became ready', [], register),
});
export type FileMetrics = ReturnType<typeof fileMetrics>;
