import { randomUUID } from 'node:crypto';
import { currentRequestContext, type SpanOptions } from '@almanac/runtime';
import type { ClickHouse } from './connect.js';

/**
 * The query id in the server's query log: the request id and a random suffix, because ids of running queries must be
 * unique. Outside of a request the client generates one.
 */
export const queryIdOfRequest = (): { query_id?: string } => {
  const requestId = currentRequestContext()?.requestId;
  return requestId === undefined ? {} : { query_id: `${requestId}/${randomUUID()}` };
};

const operations = /\b(?:SELECT|INSERT|CREATE|ALTER|DROP|OPTIMIZE|EXCHANGE|TRUNCATE|KILL|SYSTEM)\b/i;
const targets = /\b(?:FROM|JOIN|INTO|TABLE)\s+(?:default\.)?([a-z_]\w*)/gi;
const targetsMax = 4;

/** The statement is omitted: it is long, and its tables and the parent span identify it. */
export const querySpan = ({ database }: Pick<ClickHouse, 'database'>, sql: string): SpanOptions => {
  const operation = operations.exec(sql)?.[0].toUpperCase() ?? 'QUERY';
  const tables = [...new Set([...sql.matchAll(targets)].map(([, table]) => table))].slice(0, targetsMax);
  const [only] = tables;
  const summary = [operation, ...tables].join(' ');
  return {
    kind: 'client',
    name: summary,
    attributes: {
      'db.system.name': 'clickhouse',
      'db.namespace': database,
      'db.operation.name': operation,
      'db.query.summary': summary,
      ...(tables.length === 1 && only !== undefined ? { 'db.collection.name': only } : {}),
    },
  };
};
