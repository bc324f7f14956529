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
import { rememberPrepared, type Prepared } from './prepared.js';
import { readAsk, type Ask } from './request.js';
import type { Statement } from './statement.js';
import { processHeader } from '../process.js';

interface Front {
  readonly engine: Engine;
  readonly check: (user: string, password: string) => Grants;
  readonly settingNames: ReadonlySet<string>;
  readonly prepare: (template: string) => Prepared;
  readonly touched: (template: string, select: string, database: string) => Promise<Touched>;
  readonly forget: () => void;
}

/** One request with all that was found out about it. */
interface Job {
  readonly ask: Ask;
  readonly statement: Statement;
  readonly run: Run;
  readonly queryId: string;
  readonly response: ServerResponse;
}

/** ClickHouse's HTTP interface, as far as `@clickhouse/client` uses it, in front of an open engine. */
export const makeServer = async (engine: Engine, users: readonly ClickHouseUser[]): Promise<Server> => {
  const front: Front = {
    engine,
    check: userDirectory(users),
    settingNames: await engine.settingNames(),
    prepare: rememberPrepared(),
    ...rememberTouched(engine),
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
    else void answer(front, request, response);
  });
  return server;
};

const answer = async (front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const hangUp = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) hangUp.abort();
  });
  try {
    const ask = await readAsk(request, front.settingNames);
    const grants = narrowed(front.check(ask.credentials.user, ask.credentials.password), ask);
    await perform(front, grants, jobOf(front, ask, { response, signal: hangUp.signal }));
  } catch (error) {
    refuse(response, error);
  }
};

const narrowed = (grants: Grants, ask: Ask): Grants =>
  ask.http.readonly ? { ...grants, write: new Set(), schema: false } : grants;

const jobOf = (
  front: Front,
  ask: Ask,
  { response, signal }: { response: ServerResponse; signal: AbortSignal },
): Job => {
  const isInsert = /^\s*INSERT\b/i.test(ask.query);
  const template =
    isInsert || ask.body.length === 0 ? ask.query : `${ask.query}${ask.query === '' ? '' : '\n'}${ask.body.toString()}`;
  const settings = new Map([...ask.settings, ['async_insert', '0']]);
  return {
    ask: { ...ask, query: template, body: isInsert ? ask.body : Buffer.alloc(0) },
    statement: front.prepare(template)(ask.values),
    run: { database: ask.http.database, settings, signal },
    queryId: ask.http.queryId ?? randomUUID(),
    response,
  };
};

const perform = async (front: Front, grants: Grants, job: Job): Promise<void> => {
  const { statement, run, ask } = job;
  await authorize(grants, {
    statement,
    database: run.database,
    touched: (select) => front.touched(bindsNames(ask.query) ? select : ask.query, select, run.database),
  });
  switch (statement.kind) {
    case 'read':
      return ask.http.whole ? sendWhole(front, job, statement) : sendStream(front, job, statement);
    case 'insert':
      return sendInsert(front, job, statement);
    case 'insert-select':
      return sendResult(job, await front.engine.execute(run, statement.sql, ask.http.format), ask.http.format);
    case 'other':
      return sendOther(front, job, statement);
    default:
      throw new TypeError(`Unknown statement ${String(statement satisfies never)}`);
  }
};

type Kind<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

const sendWhole = async ({ engine }: Front, job: Job, statement: Kind<'read'>): Promise<void> => {
  const format = statement.format ?? job.ask.http.format;
  const sql = `${statement.head}\nFORMAT ${format}${statement.tail}`;
  await sendResult(job, await engine.read(job.run, sql, format), format);
};

const sendStream = async ({ engine }: Front, job: Job, statement: Kind<'read'>): Promise<void> => {
  const { http } = job.ask;
  const format = statement.format ?? http.format;
  const compression = http.encoding === undefined ? `'none'` : `'gzip' LEVEL ${http.gzipLevel}`;
  await engine.stream(job.run, { head: statement.head, format, tail: statement.tail, compression }, () => {
    job.response.writeHead(200, { ...headersOf(job, format), ...encodingHeader(job) });
    return job.response;
  });
  job.response.end();
};

const sendInsert = async ({ engine }: Front, job: Job, statement: Kind<'insert'>): Promise<void> => {
  const inline = Buffer.from(statement.data);
  const body = [inline, job.ask.body].filter((part) => part.length > 0);
  const compression = inline.length > 0 ? 'none' : job.ask.bodyCompression;
  const rows = { head: statement.head, format: statement.format, compression: `'${compression}'`, body };
  const result = await engine.insert(job.run, rows);
  await sendResult(job, result, 'TabSeparated', { written_rows: String(result.rowsRead) });
};

/** SET and USE live as long as a session of the real server; over plain HTTP that is one request. */
const sendOther = async (front: Front, job: Job, statement: Kind<'other'>): Promise<void> => {
  const { format } = job.ask.http;
  if (statement.verb === 'SET' || statement.verb === 'USE') return sendResult(job, undefined, format);
  const result = await front.engine.execute(job.run, statement.sql, format);
  front.forget();
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
    job.ask.http.encoding === undefined ? bytes : await promisify(gzip)(bytes, { level: job.ask.http.gzipLevel });
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
  job.ask.http.encoding === undefined ? {} : { 'Content-Encoding': job.ask.http.encoding };

const contentTypeOf = (format: string): string => {
  if (/^JSON.*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=' + (format === 'CSV' ? 'absent' : 'present');
  if (format.startsWith('TabSeparated') || format.startsWith('TSV')) return 'text/tab-separated-values; charset=UTF-8';
  return /^(Parquet|Native|RowBinary|Arrow|ORC|Avro)/.test(format)
    ? 'application/octet-stream'
    : 'text/plain; charset=UTF-8';
};

/** Once bytes are out the only honest sign of a failure is a broken connection. */
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

const rememberedMax = 1_000;

/** What a statement touches depends on its text alone until the schema changes, so the analyzer is asked once. */
const rememberTouched = (engine: Engine): Pick<Front, 'touched' | 'forget'> => {
  const known = new Map<string, Touched>();
  const touched: Front['touched'] = async (template, select, database) => {
    const key = `${database}\n${template}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = await engine.touched({ database, settings: new Map() }, select);
    if (known.size >= rememberedMax) known.clear();
    known.set(key, found);
    return found;
  };
  return { touched, forget: () => known.clear() };
};
