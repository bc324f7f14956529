import type { Query } from '@almanac/clickhouse';
// The SQL of the service itself, imported from its build, so that both sides always read the same way.
import { topRowsSql } from '../../../services/timeseries/dist/snapshots/rows-sql.js';

/** The SQL of the timeseries service for such a query, with times in seconds. */
export const snapshotQuery = (input: {
  ticker: string;
  startTs: number;
  endTs: number;
  stepMs: number;
  limit: number;
  withSizes?: boolean;
}): Query & { readonly params: Readonly<Record<string, string | number>> } => ({
  sql: topRowsSql('downsampled', input.withSizes),
  params: {
    ticker: input.ticker,
    start_us: input.startTs * 1_000_000,
    end_us: input.endTs * 1_000_000,
    limit: input.limit,
    step_us: input.stepMs * 1_000,
  },
});
