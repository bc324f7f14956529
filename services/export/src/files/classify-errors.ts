import { type ClickHouse, ClickHouseError, QueryTimeoutError } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { ObjectStoreError } from '@almanac/object-store';
import { withTimeout } from '@almanac/runtime';

/** The row count of the file differs from a separate count. The attempt failed and is repeated. */
export class IncompleteFileError extends Error {
  override readonly name = 'IncompleteFileError';
}

/**
 * TIMEOUT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, NO_FREE_CONNECTION, SOCKET_TIMEOUT, NETWORK_ERROR, ABORTED,
 * ALL_CONNECTION_TRIES_FAILED, QUERY_WAS_CANCELLED, SERVER_OVERLOADED, and of a cluster NO_ACTIVE_REPLICAS,
 * REPLICA_IS_NOT_IN_QUORUM, ALL_REPLICAS_ARE_STALE, KEEPER_EXCEPTION: caused by the server's state, not by the query.
 * MEMORY_LIMIT_EXCEEDED is left out, because a query that always needs more memory would be retried for ever.
 */
const serverUnavailableCodes = new Set('159 202 203 209 210 236 254 279 289 369 394 745 999'.split(' '));

/** TIMEOUT_EXCEEDED */
const timeoutCode = '159';

/** Whether ClickHouse did not finish a query in time, because of its load or because of the query. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof QueryTimeoutError || (error instanceof ClickHouseError && error.code === timeoutCode);

/** Codes of Node: no connection was made, so no server has refused anything. */
const noConnectionCodes = new Set('ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH'.split(' '));

const hadNoConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && noConnectionCodes.has(error.code);

const answerMs = 5_000;

/** An attempt of work that failed. */
export interface FailedTry {
  readonly error: unknown;
  readonly lastedMs: number;
}

/**
 * Whether an attempt failed because a store was unavailable or slow. A store that answers with an error is not an
 * outage. A ClickHouse answer that breaks off shows no cause, so the server is asked how long it has been running: one that was there
 * before the attempt ended the answer itself.
 */
export const isOutage = async (
  { error, lastedMs }: FailedTry,
  clickhouse: Pick<ClickHouse, 'uptimeS'>,
): Promise<boolean> => {
  if (error instanceof ObjectStoreError) return isStoreUnavailable(error);
  if (error instanceof ClickHouseError) return serverUnavailableCodes.has(error.code);
  if (error instanceof QueryTimeoutError) return true;
  if (error instanceof DomainError) return error.code === 'unavailable';
  if (error instanceof IncompleteFileError) return false;
  return hadNoConnection(error) || !(await wasThereBefore(lastedMs, clickhouse));
};

const isStoreUnavailable = ({ failure, cause }: ObjectStoreError): boolean => {
  // The cleanup failed too. The first error is the original one.
  const first: unknown = failure === 'left_open' && cause instanceof AggregateError ? cause.errors[0] : undefined;
  if (first instanceof ObjectStoreError) return isStoreUnavailable(first);
  return failure === 'unavailable' || failure === 'deadline';
};

/** A server that started meanwhile broke the answer off when it ended. */
const wasThereBefore = (lastedMs: number, clickhouse: Pick<ClickHouse, 'uptimeS'>): Promise<boolean> => {
  const isOlder = clickhouse.uptimeS().then(
    (uptimeS) => uptimeS * 1_000 > lastedMs,
    () => false,
  );
  return withTimeout(answerMs, isOlder, () => false);
};

const free = 'You were not charged. Create the export again.';

export const userMessageOf = (error: unknown): string => {
  if (error instanceof IncompleteFileError) {
    return `The file could not be prepared because some rows were missing. ${free}`;
  }
  if (isTimeout(error)) {
    return `The file could not be prepared because its data took too long to read. Request fewer days or events. ${free}`;
  }
  if (error instanceof ClickHouseError)
    return `The file could not be prepared because the archive could not be read. ${free}`;
  if (!(error instanceof ObjectStoreError)) return `The file could not be prepared after several attempts. ${free}`;
  switch (error.failure) {
    case 'full':
      return `The file could not be prepared because the file storage is full. ${free}`;
    case 'not_found':
    case 'refused':
      return `The file could not be prepared because the file storage did not accept it. ${free}`;
    case 'deadline':
    case 'unavailable':
    case 'left_open':
    case 'rejected':
      return `The file could not be prepared because it could not be stored. ${free}`;
  }
};
