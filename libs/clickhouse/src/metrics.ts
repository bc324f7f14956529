import { counter, histogram, perValue, secondsSince } from '@almanac/runtime';
import { ClickHouseError } from '@clickhouse/client';

/** `read` is a whole answer, `stream` one that is read as it is made, `insert` rows that were stored. */
export type QueryKind = 'read' | 'stream' | 'insert';

const queries = counter(
  'almanac_clickhouse_queries_total',
  'queries by outcome: ok, refused by the server, timeout, cancelled by who asked, unreachable (or it broke off)',
  ['kind', 'outcome'],
);

const seconds = histogram(
  'almanac_clickhouse_query_seconds',
  'from the request to the last byte of the answer, failures too',
  ['kind'],
);

const meterOf = perValue((kind: QueryKind) => ({
  outcomes: perValue((outcome: string) => queries.labels(kind, outcome)),
  timed: seconds.labels(kind),
}));

/** Counts a query that began at this reading of `performance.now()` and ended now; `error` undefined where it went well. */
export const countQuery = (kind: QueryKind, beganAt: number, error?: unknown): void => {
  const { outcomes, timed } = meterOf(kind);
  outcomes(error === undefined ? 'ok' : failureOf(error)).inc();
  timed.observe(secondsSince(beganAt));
};

/** Aborts have the name of their reason: `AbortError` of a caller, `TimeoutError` or `QueryTimeoutError` of a deadline. */
const failureOf = (error: unknown): string => {
  if (error instanceof ClickHouseError) return 'refused';
  if (!(error instanceof Error)) return 'unreachable';
  if (error.name === 'TimeoutError' || error.name === 'QueryTimeoutError') return 'timeout';
  // A reader that wants no more of a stream ends it without a reason; a lost connection has one.
  const isEnded = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  return isEnded || error.name === 'AbortError' ? 'cancelled' : 'unreachable';
};
