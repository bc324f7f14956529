import { ClickHouseError } from '@clickhouse/client';

/**
 * TIMEOUT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, NO_FREE_CONNECTION, SOCKET_TIMEOUT, NETWORK_ERROR, ABORTED,
 * MEMORY_LIMIT_EXCEEDED, ALL_CONNECTION_TRIES_FAILED, QUERY_WAS_CANCELLED, SERVER_OVERLOADED.
 */
const overloaded = ['159', '202', '203', '209', '210', '236', '241', '279', '394', '745'];

/** UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, ACCESS_DENIED, AUTHENTICATION_FAILED. */
const refusing = ['192', '193', '194', '497', '516'];

/** NO_SUCH_COLUMN_IN_TABLE, UNKNOWN_IDENTIFIER, UNKNOWN_TABLE, UNKNOWN_DATABASE: schema of another release. */
const schemaMismatch = ['16', '47', '60', '81'];

const states = new Set([...overloaded, ...refusing, ...schemaMismatch]);

/**
 * Whether a ClickHouse error is about the server and not about the query: it is overloaded, rejects the login, or its
 * schema belongs to another release. A later retry may succeed.
 */
export const isServerError = (error: unknown): boolean => error instanceof ClickHouseError && states.has(error.code);
