import type { ExportQuery } from '@almanac/contracts';

/** The query of a CSV file of quotes, unless something else is given. */
export const queryOf = (given: Partial<ExportQuery>): ExportQuery => ({
  event: null,
  ticker: null,
  series: null,
  day: null,
  streams: ['snapshots'],
  format: 'csv',
  numbers: 'decimal',
  ...given,
});

/** A query of one event's snapshots and settlements. */
export const eventQuery: ExportQuery = queryOf({ event: 'E', series: 'S', streams: ['snapshots', 'settlement'] });
