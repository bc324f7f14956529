import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ChdbResult } from 'chdb';
import { authorize, userDirectory, type ClickHouseUser, type Grants, type Touched } from './access.js';
import type { Engine, Run } from './engine.js';
import { describeError, httpStatusOf } from './errors.js';
import { bindsNames } from './params.js';
import { cachePreparedStatements, type PreparedStatement } from './prepared-statements.js';
import { readRequest, type ClickHouseRequest } from './request.js';
import type { Statement } from './statement.js';
import { processHeader } from '../process.js';

interface ServerContext {
  readonly engine: Engine;
  readonly check: (user: string, password: string) => Grants;
  readonly settingNames: ReadonlySet<string>;
  readonly prepare: (template: string) => PreparedStatement;
  readonly touched: (template: string, select: string, database: string) => Promise<Touched>;
  readonly clearCache: () => void;
}

interface Job {
  readonly parsedRequest: ClickHouseRequest;
  readonly statement: Statement;
  readonly run: Run;
  readonly queryId: string;
  readonly response: ServerResponse;
}

/** ClickHouse's HTTP interface in front of an open engine, as far as `@clickhouse/client` uses it. */
export const makeServer = async (engine: Engine, users: readonly ClickHouseUser[]): Promise<Server> => {
  const context: ServerContext = {
    engine,
    check: userDirectory(users),
    settingNames: await engine.settingNames(),
    prepare: cachePreparedStatements(),
    ...cacheTouched(engine),
  };
  const server = createServer({
    maxHeaderSize: 1024 * 1024,
    keepAliveTimeout: 30_000,
    requestTimeout: 0,
    noDelay: true,
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader(processHeader, process.pid);
    if (request.url === '/ping' || request.url === '/replicas_status') response.end('Ok.\n');
    else void answer(context, request, response);
  });
  return server;
};

const answer = async (context: ServerContext, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const hangUp = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) hangUp.abort();
  });
  try {
    const parsedRequest = await readRequest(request, context.settingNames);
    const grants = narrowed(
      context.check(parsedRequest.credentials.user, parsedRequest.credentials.password),
      parsedRequest,
    );
    await perform(context, grants, jobOf(context, parsedRequest, { response, signal: hangUp.signal }));
  } catch (error) {
    refuse(response, error);
  }
};

const narrowed = (grants: Grants, parsedRequest: ClickHouseRequest): Grants =>
  parsedRequest.http.readonly ? { ...grants, write: new Set(), schema: false } : grants;

const jobOf = (
  context: ServerContext,
  parsedRequest: ClickHouseRequest,
  { response, signal }: { response: ServerResponse; signal: AbortSignal },
): Job => {
  const isInsert = /^\s*INSERT\b/i.test(parsedRequest.query);
  const template =
    isInsert || parsedRequest.body.length === 0
      ? parsedRequest.query
      : `${parsedRequest.query}${parsedRequest.query === '' ? '' : '\n'}${parsedRequest.body.toString()}`;
  const settings = new Map([...parsedRequest.settings, ['async_insert', '0']]);
  return {
    parsedRequest: { ...parsedRequest, query: template, body: isInsert ? parsedRequest.body : Buffer.alloc(0) },
    statement: context.prepare(template)(parsedRequest.values),
    run: { database: parsedRequest.http.database, settings, signal },
    queryId: parsedRequest.http.queryId ?? randomUUID(),
    response,
  };
};

const perform = async (context: ServerContext, grants: Grants, job: Job): Promise<void> => {
  const { statement, run, parsedRequest } = job;
  await authorize(grants, {
    statement,
    database: run.database,
    touched: (select) =>
      context.touched(bindsNames(parsedRequest.query) ? select : parsedRequest.query, select, run.database),
  });
  switch (statement.kind) {
    case 'read':
      return parsedRequest.http.isBuffered
        ? sendBuffered(context, job, statement)
        : sendStream(context, job, statement);
    case 'insert':
      return sendInsert(context, job, statement);
    case 'insert-select':
      return sendResult(
        job,
        await context.engine.execute(run, statement.sql, parsedRequest.http.format),
        parsedRequest.http.format,
      );
    case 'other':
      return sendOther(context, job, statement);
    default:
      throw new TypeError(`Unknown statement ${String(statement satisfies never)}`);
  }
};

type Kind<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

const sendBuffered = async ({ engine }: ServerContext, job: Job, statement: Kind<'read'>): Promise<void> => {
  const format = statement.format ?? job.parsedRequest.http.format;
  const sql = `${statement.head}\nFORMAT ${format}${statement.tail}`;
  await sendResult(job, await engine.read(job.run, sql, format), format);
};

const sendStream = async ({ engine }: ServerContext, job: Job, statement: Kind<'read'>): Promise<void> => {
  const { http } = job.parsedRequest;
  const format = statement.format ?? http.format;
  const compression = http.encoding === undefined ? `'none'` : `'gzip' LEVEL ${http.gzipLevel}`;
  await engine.stream(job.run, { head: statement.head, format, tail: statement.tail, compression }, () => {
    job.response.writeHead(200, { ...headersOf(job, format), ...encodingHeader(job) });
    return job.response;
  });
  job.response.end();
};

const sendInsert = async ({ engine }: ServerContext, job: Job, statement: Kind<'insert'>): Promise<void> => {
  const inline = Buffer.from(statement.data);
  const body = [inline, job.parsedRequest.body].filter((part) => part.length > 0);
  const compression = inline.length > 0 ? 'none' : job.parsedRequest.bodyCompression;
  const rows = { head: statement.head, format: statement.format, compression: `'${compression}'`, body };
  const result = await engine.insert(job.run, rows);
  await sendResult(job, result, 'TabSeparated', { written_rows: String(result.rowsRead) });
};

/** SET and USE last as long as a session of the real server. Over plain HTTP that is one request. */
const sendOther = async (context: ServerContext, job: Job, statement: Kind<'other'>): Promise<void> => {
  const { format } = job.parsedRequest.http;
  if (statement.verb === 'SET' || statement.verb === 'USE') return sendResult(job, undefined, format);
  const result = await context.engine.execute(job.run, statement.sql, format);
  context.clearCache();
  await sendResult(job, result, format);
};

const sendResult = async (
  job: Job,
  result: ChdbResult | undefined,
  format: string,
  extra: Record<string, string> = {},
): Promise<void> => {
  const bytes = result?.bytes() ?? new Uint8Array(0);
  const summary = JSON.stringify({
    read_rows: String(result?.rowsRead ?? 0),
    read_bytes: String(result?.bytesRead ?? 0),
    written_rows: '0',
    written_bytes: '0',
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: String(bytes.length),
    elapsed_ns: String(Math.round((result?.elapsed ?? 0) * 1e9)),
    ...extra,
  });
  const packed =
    job.parsedRequest.http.encoding === undefined
      ? bytes
      : await promisify(gzip)(bytes, { level: job.parsedRequest.http.gzipLevel });
  const headers = { ...headersOf(job, format), ...encodingHeader(job), 'X-ClickHouse-Summary': summary };
  job.response.writeHead(200, { ...headers, 'Content-Length': packed.length }).end(packed);
};

const headersOf = (job: Job, format: string): OutgoingHttpHeaders => ({
  'Content-Type': contentTypeOf(format),
  'X-ClickHouse-Server-Display-Name': 'almanac-local',
  'X-ClickHouse-Query-Id': job.queryId,
  'X-ClickHouse-Format': format,
  'X-ClickHouse-Timezone': 'UTC',
});

const encodingHeader = (job: Job): OutgoingHttpHeaders =>
  job.parsedRequest.http.encoding === undefined ? {} : { 'Content-Encoding': job.parsedRequest.http.encoding };

const contentTypeOf = (format: string): string => {
  if (/^JSON.*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=' + (format === 'CSV' ? 'absent' : 'present');
  if (format.startsWith('TabSeparated') || format.startsWith('TSV')) return 'text/tab-separated-values; charset=UTF-8';
  return /^(Parquet|Native|RowBinary|Arrow|ORC|Avro)/.test(format)
    ? 'application/octet-stream'
    : 'text/plain; charset=UTF-8';
};

/** After the first byte, only a broken connection can signal a failure. */
const refuse = (response: ServerResponse, error: unknown): void => {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { code, text } = describeError(error);
  response
    .writeHead(httpStatusOf(code), {
      'Content-Type': 'text/plain; charset=UTF-8',
      'X-ClickHouse-Exception-Code': String(code),
    })
    .end(`${text}\n`);
};

const cacheMax = 1_000;

/** Until the schema changes, what a statement reads depends only on its text. So the analyzer runs once per text. */
const cacheTouched = (engine: Engine): Pick<ServerContext, 'touched' | 'clearCache'> => {
  const known = new Map<string, Touched>();
  const touched: ServerContext['touched'] = async (template, select, database) => {
    const key = `${database}\n${template}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = await engine.touched({ database, settings: new Map() }, select);
    if (known.size >= cacheMax) known.clear();
    known.set(key, found);
    return found;
  };
  return { touched, clearCache: () => known.clear() };
};
