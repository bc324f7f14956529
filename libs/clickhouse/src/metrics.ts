import { counter, histogram, perValue, secondsSince } from '@almanac/runtime';
import { ClickHouseError } from '@clickhouse/client';
import { noteBrokenPart } from './broken-parts.js';

/** `read`: a complete answer. `stream`: an answer read while it is produced. `insert`: stored rows. */
export type QueryKind = 'read' | 'stream' | 'insert';

const queries = counter(
  'almanac_clickhouse_queries_total',
  'queries by outcome: ok, refused by the server, timeout, cancelled by the caller, unreachable (or the connection was lost)',
  ['kind', 'outcome'],
);

const seconds = histogram(
  'almanac_clickhouse_query_seconds',
  'time from the request to the last byte of the answer, including failures',
  ['kind'],
);

const meterOf = perValue((kind: QueryKind) => ({
  outcomes: perValue((outcome: string) => queries.labels(kind, outcome)),
  timed: seconds.labels(kind),
}));

/** Counts a query that ends now. `beganAt` is a value of `performance.now()`. `error` is undefined after a success. */
export const countQuery = (kind: QueryKind, beganAt: number, error?: unknown): void => {
  noteBrokenPart(error);
  const { outcomes, timed } = meterOf(kind);
  outcomes(error === undefined ? 'ok' : failureOf(error)).inc();
  timed.observe(secondsSince(beganAt));
};

/** An abort error has the name of its reason: `AbortError`, `TimeoutError` or `QueryTimeoutError`. */
const failureOf = (error: unknown): string => {
  if (error instanceof ClickHouseError) return 'refused';
  if (!(error instanceof Error)) return 'unreachable';
  if (error.name === 'TimeoutError' || error.name === 'QueryTimeoutError') return 'timeout';
  // A reader that stops early ends the stream without a reason. A lost connection has one.
  const isEnded = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  return isEnded || error.name === 'AbortError' ? 'cancelled' : 'unreachable';
};
