import type { ExportQuery } from '@almanac/contracts';

/** A query of one event's snapshots and settlements. */
export const eventQuery: ExportQuery = {
  event: 'E',
  ticker: null,
  series: 'S',
  day: null,
  streams: ['snapshots', 'settlement'],
  format: 'csv',
  numbers: 'decimal',
};
