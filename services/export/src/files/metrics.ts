import { Counter, type Registry } from 'prom-client';

/** What the workers tell of themselves. */
export interface FileMetrics {
  readonly attempts: Counter<'outcome'>;
}

export const fileMetrics = (register: Registry): FileMetrics => ({
  attempts: new Counter({
    name: 'almanac_export_files_total',
    help: 'attempts to prepare a file: ready, failed, given_up after the last one, or waited for a store that is away',
    labelNames: ['outcome'],
    registers: [register],
  }),
});
