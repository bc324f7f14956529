import { DomainError } from '@almanac/contracts';
import { ClickHouseError } from '@clickhouse/client';
import { z } from 'zod';
import { brokenPartOf } from './broken-parts.js';

/**
 * TIMEOUT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, NO_FREE_CONNECTION, SOCKET_TIMEOUT, NETWORK_ERROR, ABORTED,
 * MEMORY_LIMIT_EXCEEDED, ALL_CONNECTION_TRIES_FAILED, QUERY_WAS_CANCELLED, SERVER_OVERLOADED.
 */
const overloaded = ['159', '202', '203', '209', '210', '236', '241', '279', '394', '745'];

/** UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, ACCESS_DENIED, AUTHENTICATION_FAILED. */
const refusing = ['192', '193', '194', '497', '516'];

/** NO_SUCH_COLUMN_IN_TABLE, UNKNOWN_IDENTIFIER, UNKNOWN_TABLE, UNKNOWN_DATABASE: schema of another release. */
const schemaMismatch = ['16', '47', '60', '81'];

/** CANNOT_WRITE_TO_FILE_DESCRIPTOR, NOT_ENOUGH_SPACE. */
const withoutSpace = ['75', '243'];

/** TABLE_IS_READ_ONLY, TOO_MANY_PARTS, UNKNOWN_STATUS_OF_INSERT, KEEPER_EXCEPTION: an insert may succeed later. */
const withoutWrites = ['242', '252', '319', '999'];

/**
 * NO_ACTIVE_REPLICAS, TOO_FEW_LIVE_REPLICAS, UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE, REPLICA_IS_NOT_IN_QUORUM, UNFINISHED,
 * ALL_REPLICAS_ARE_STALE, ALL_REPLICAS_LOST, CLUSTER_DOESNT_EXIST: servers of a cluster are missing or lag.
 */
const withoutReplicas = ['254', '285', '286', '289', '341', '369', '415', '701'];

const states = new Set([
  ...overloaded,
  ...refusing,
  ...schemaMismatch,
  ...withoutSpace,
  ...withoutWrites,
  ...withoutReplicas,
]);

/** ClickHouse uses the code of TOO_MANY_PARTS also for rows of too many months, which no retry changes. */
const isForTooManyMonths = ({ message }: Error): boolean => message.includes('Too many partitions');

export const isDiskFull = (error: unknown): boolean =>
  error instanceof ClickHouseError && withoutSpace.includes(error.code);

/**
 * Whether a ClickHouse error is about the server and not about the query: it is overloaded, rejects the login, has no
 * disk space, merges too slowly, has a broken part, or its schema belongs to another release. A later retry may succeed.
 */
export const isServerError = (error: unknown): boolean =>
  error instanceof ClickHouseError &&
  (brokenPartOf(error) !== undefined || (states.has(error.code) && !isForTooManyMonths(error)));

/** Reports an outage of the server as `unavailable`. An error in the query itself passes through. */
export const orUnavailable = async <T>(query: Promise<T>, data: 'archive' | 'catalogue'): Promise<T> => {
  try {
    return await query;
  } catch (cause) {
    if (cause instanceof z.ZodError || (cause instanceof ClickHouseError && !isServerError(cause))) throw cause;
    throw new DomainError('unavailable', `The ${data} is temporarily unavailable. Try again in a few seconds.`, {
      cause,
    });
  }
};
