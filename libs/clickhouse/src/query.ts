import { randomUUID } from 'node:crypto';
import { addAbortSignal, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { beginSpanOfCall, errorTypeOf, inSpan } from '@almanac/runtime';
import type { ClickHouseSettings } from '@clickhouse/client';
import type { ClickHouse } from './connect.js';
import { parseJsonLines } from './json-lines.js';
import { whileReplicasLag } from './lagging-replicas.js';
import { countQuery, type QueryKind } from './metrics.js';
import { queryIdOfRequest, querySpan } from './query-tracing.js';

/** A query with bound values: `{sql: 'SELECT … WHERE ticker = {ticker:String}', params: {ticker}}`. */
export interface Query {
  /** With a FORMAT clause for `bytes` and `stream`, without one for `rows`. */
  readonly sql: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly settings?: ClickHouseSettings;
  /** An abort ends the request and the query in the server. */
  readonly signal?: AbortSignal;
}

/**
 * ClickHouse lets a query pause while one with a lower number runs. A client waits for a complete answer, so it
 * precedes streams, which are exports and bulk reads. 0 neither waits nor makes others wait.
 */
const priorities = { none: '0', read: '1', stream: '2' } as const;

/** How long a stream pauses before each of its blocks at most, so that it advances under constant load, too. */
const yieldMs = '100';

const yielding: ClickHouseSettings = { priority: priorities.stream, low_priority_query_wait_time_ms: yieldMs };

/** Reads rows for work that no client waits for, such as a file. Like a stream, it lets the reads of clients precede. */
export const rowsInBackground = <T>(clickhouse: ClickHouse, query: Query, schema: RowSchema<T>): Promise<T[]> =>
  rows(clickhouse, { ...query, settings: { ...yielding, ...query.settings } }, schema);

/** Checks and types one row. Any zod schema fits. */
export interface RowSchema<T> {
  parse(row: unknown): T;
}

/** The server did not finish within the time limit. */
export class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError';

  constructor(readonly timeoutMs: number) {
    super(`ClickHouse did not finish within ${timeoutMs} ms.`);
  }
}

/** Reads rows as objects and checks each with the schema. Integers above 2^53 need `toString` in the SQL. */
export async function rows<T>(clickhouse: ClickHouse, query: Query, schema: RowSchema<T>): Promise<T[]>;
export async function rows(clickhouse: ClickHouse, query: Query): Promise<unknown[]>;
export async function rows(clickhouse: ClickHouse, query: Query, schema?: RowSchema<unknown>): Promise<unknown[]> {
  const body = await bytes(clickhouse, { ...query, sql: `${query.sql}\nFORMAT JSONEachRow` });
  const parsed = parseJsonLines(body);
  return schema === undefined ? parsed : parsed.map((row) => schema.parse(row));
}

/**
 * Reads the complete answer in the format of the SQL. The server finishes the query before it sends the first byte,
 * so a failure is always a ClickHouseError and never a truncated answer.
 */
export const bytes = async (clickhouse: ClickHouse, query: Query): Promise<Buffer> =>
  withDeadline(clickhouse, { kind: 'read', sql: query.sql, signal: query.signal }, async (signal, maxSeconds) => {
    const { stream: body } = await clickhouse.client.exec({
      query: query.sql,
      query_params: { ...query.params },
      ...queryIdOfRequest(),
      clickhouse_settings: {
        wait_end_of_query: 1,
        max_execution_time: maxSeconds,
        priority: priorities.read,
        ...query.settings,
      },
      abort_signal: signal,
    });
    return readAll(addAbortSignal(signal, body));
  });

/** Unlike node:stream/consumers without a Blob, which was visible in the profile of a point read. */
const readAll = async (body: Readable): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  body.on('data', (part: Buffer) => chunks.push(part));
  await finished(body);
  return Buffer.concat(chunks);
};

/** Runs a statement without a result (schema, OPTIMIZE, …). */
export const command = async (clickhouse: ClickHouse, query: Query): Promise<void> => {
  await bytes(clickhouse, { ...query, settings: { priority: priorities.none, ...query.settings } });
};

export interface StreamOptions {
  /** The server compresses the bytes with gzip, ready to be stored. Do not request compression in any other way. */
  readonly gzip?: boolean;
  /** From the request to the last byte. Default: one hour. */
  readonly timeoutMs?: number;
}

/**
 * Streams the answer as the server produces it, with back-pressure down to the server. A failure after the first byte
 * destroys the stream with an error, so the bytes are complete only if the stream ends. Aborting the signal or
 * destroying the stream ends the query in the server.
 */
export const stream = async (clickhouse: ClickHouse, query: Query, options: StreamOptions = {}): Promise<Readable> => {
  const { gzip = false, timeoutMs = 3_600_000 } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = query.signal === undefined ? deadline : AbortSignal.any([deadline, query.signal]);
  signal.throwIfAborted();
  const beganAt = performance.now();
  const span = beginSpanOfCall(() => querySpan(clickhouse, query.sql));
  const end = (error?: unknown): void => {
    countQuery('stream', beganAt, error);
    if (error !== undefined) span?.fail(errorTypeOf(error));
    span?.end();
  };
  const execute = () =>
    clickhouse.client.exec({
      query: query.sql,
      query_params: { ...query.params },
      ...queryIdOfRequest(),
      clickhouse_settings: {
        max_execution_time: Math.ceil(timeoutMs / 1_000),
        ...yielding,
        ...(gzip ? { enable_http_compression: 1, http_zlib_compression_level: '6' } : {}),
        ...query.settings,
      },
      ...(gzip ? { http_headers: { 'Accept-Encoding': 'gzip' } } : {}),
      decompress_response_stream: false,
      abort_signal: signal,
    });
  try {
    const { stream: body } = await whileReplicasLag(clickhouse, signal, execute);
    finished(body).then(
      () => end(),
      (error: unknown) => end(signal.aborted ? signal.reason : error),
    );
    return addAbortSignal(signal, body);
  } catch (error) {
    end(signal.aborted ? signal.reason : error);
    throw error;
  }
};

export interface BytesInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /** TabSeparated, JSONEachRow, RowBinary, … */
  readonly format: string;
  readonly body: Buffer;
  /** How `body` is compressed. Compressed bodies one after the other are a body, too. */
  readonly coding?: 'zstd' | undefined;
  readonly settings?: ClickHouseSettings;
  readonly signal?: AbortSignal;
}

/** Inserts encoded rows. Resolves with their number when they can be queried. */
export const insertBytes = async (clickhouse: ClickHouse, insert: BytesInsert): Promise<number> => {
  const settings = { ...ownDeduplication(clickhouse), ...insert.settings };
  const sql = `INSERT INTO ${insert.table} (${insert.columns.join(', ')}) FORMAT ${insert.format}`;
  return withDeadline(clickhouse, { kind: 'insert', sql, signal: insert.signal }, async (signal, maxSeconds) => {
    const { stream: body, summary } = await clickhouse.client.exec({
      query: sql,
      ...queryIdOfRequest(),
      values: Readable.from([insert.body], { objectMode: false }),
      ...(insert.coding && { http_headers: { 'Content-Encoding': insert.coding } }),
      clickhouse_settings: { wait_end_of_query: 1, max_execution_time: maxSeconds, ...settings },
      abort_signal: signal,
    });
    await readAll(addAbortSignal(signal, body));
    return Number(summary?.written_rows ?? 0);
  });
};

export interface SelectInsert extends Pick<BytesInsert, 'table' | 'columns'>, Omit<Query, 'sql'> {
  readonly select: string;
}

/** Inserts what a query selects. Resolves when the rows can be queried. */
export const insertSelect = async (
  clickhouse: ClickHouse,
  { table, columns, select, settings, ...query }: SelectInsert,
): Promise<void> => {
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) ${select}`;
  await command(clickhouse, { sql, ...query, settings: { ...ownDeduplication(clickhouse), ...settings } });
};

/**
 * A replicated table ignores an insert of the same bytes as one of the last inserts. But a value that returns to what it
 * was must be stored again, because the row stored last wins. With a token, only attempts of one insert are the same.
 */
const ownDeduplication = ({ isReplicated }: ClickHouse): ClickHouseSettings =>
  isReplicated ? { insert_deduplication_token: randomUUID() } : {};

/** The client's own timeout ends with the first byte of the answer. This one covers the answer up to its last byte. */
const withDeadline = async <T>(
  clickhouse: ClickHouse,
  { kind, sql, signal: caller }: { kind: QueryKind; sql: string; signal: AbortSignal | undefined },
  work: (signal: AbortSignal, maxSeconds: number) => Promise<T>,
): Promise<T> => {
  const { requestTimeoutMs } = clickhouse;
  caller?.throwIfAborted();
  const beganAt = performance.now();
  const deadlineAbort = new AbortController();
  const timer = setTimeout(() => deadlineAbort.abort(new QueryTimeoutError(requestTimeoutMs)), requestTimeoutMs);
  const signal = caller === undefined ? deadlineAbort.signal : AbortSignal.any([caller, deadlineAbort.signal]);
  try {
    const maxSeconds = Math.ceil(requestTimeoutMs / 1_000);
    const answer = await inSpan(
      () => querySpan(clickhouse, sql),
      () => whileReplicasLag(clickhouse, signal, () => work(signal, maxSeconds)),
    );
    countQuery(kind, beganAt);
    return answer;
  } catch (error) {
    countQuery(kind, beganAt, signal.aborted ? signal.reason : error);
    // The client reports an abort as its own error. The caller expects the signal's reason.
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};
