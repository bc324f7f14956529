import { randomUUID } from 'node:crypto';
import { currentRequestContext, type SpanOptions } from '@almanac/runtime';
import type { ClickHouse } from './connect.js';

/**
 * The id that the server's query log has of a query: the request it is for, and what makes it the only one, since two
 * may not run under one id. Outside of a request the client makes one.
 */
export const queryIdOfRequest = (): { query_id?: string } => {
  const requestId = currentRequestContext()?.requestId;
  return requestId === undefined ? {} : { query_id: `${requestId}/${randomUUID()}` };
};

const operations = /\b(?:SELECT|INSERT|CREATE|ALTER|DROP|OPTIMIZE|EXCHANGE|TRUNCATE|KILL|SYSTEM)\b/i;
const targets = /\b(?:FROM|JOIN|INTO|TABLE)\s+(?:default\.)?([a-z_]\w*)/gi;
const targetsMax = 4;

/** The statement itself is not told: it is long, and known by its tables and the span around it. */
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
