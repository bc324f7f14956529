import { Counter, Gauge, type Registry } from 'prom-client';

/** What the workers tell of themselves; what waits for them is `almanac_consumer_pending{consumer="export-workers"}`. */
export interface FileMetrics {
  readonly attempts: Counter<'outcome'>;
  readonly running: Gauge;
  readonly bytes: Counter;
}

export const fileMetrics = (register: Registry): FileMetrics => ({
  attempts: new Counter({
    name: 'almanac_export_files_total',
    help: 'attempts to prepare a file: ready, failed, given_up after the last one, or waited for a store that is away',
    labelNames: ['outcome'],
    registers: [register],
  }),
  running: new Gauge({
    name: 'almanac_export_files_running',
    help: 'files that are being prepared in this process, those too that wait for a store',
    registers: [register],
  }),
  bytes: new Counter({
    name: 'almanac_export_file_bytes_total',
    help: 'bytes of the files that became ready',
    registers: [register],
  }),
});
