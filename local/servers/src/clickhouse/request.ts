import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { EngineError } from './errors.js';

/** An insert is buffered completely before the engine gets it, so that a client that dies halfway stores nothing. */
const bodyBytesMax = 256 * 1024 * 1024;

type Compression = 'none' | 'gzip' | 'zstd';

export interface ClickHouseRequest {
  readonly credentials: { readonly user: string; readonly password: string };
  /** From the URL. The statement is this text followed by the body. */
  readonly query: string;
  readonly body: Buffer;
  /** The compression of `body`, as the engine names it. */
  readonly bodyCompression: Compression;
  readonly values: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  readonly http: HttpQueryOptions;
}

export interface HttpQueryOptions {
  readonly queryId: string | undefined;
  readonly database: string;
  readonly format: string;
  /** `wait_end_of_query=1`: the answer is complete before its first byte is sent. */
  readonly isBuffered: boolean;
  readonly readonly: boolean;
  readonly encoding: 'gzip' | undefined;
  readonly gzipLevel: number;
}

/** Parameters that only the real server's HTTP handler uses, or that mean nothing on a laptop. */
const httpOnly = new Set(
  `query query_id database user password default_format session_id session_timeout session_check role quota_key
   wait_end_of_query buffer_size compress decompress readonly enable_http_compression http_zlib_compression_level
   http_response_buffer_size send_progress_in_http_headers http_headers_progress_interval_ms add_http_cors_header
   http_write_exception_in_output_format cancel_http_readonly_queries_on_client_close async_insert wait_for_async_insert
   allow_ddl profile`.split(/\s+/),
);

/** Reads the request to its end. Throws an EngineError for an unsupported request. */
export const readRequest = async (
  request: IncomingMessage,
  settingNames: ReadonlySet<string>,
): Promise<ClickHouseRequest> => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const raw = await bodyOf(request);
  const fields = await multipartFields(request, raw);
  for (const [name, value] of fields ?? []) url.searchParams.append(name, value);
  const compression = encodingOf(request);
  const isInsert = /^\s*INSERT\b/i.test(url.searchParams.get('query') ?? '');
  const get = (name: string): string => url.searchParams.getAll(name).at(-1) ?? '';
  return {
    credentials: credentialsOf(request, get),
    query: get('query'),
    body: fields === undefined ? (isInsert ? raw : await unpack[compression](raw)) : Buffer.alloc(0),
    bodyCompression: isInsert ? compression : 'none',
    values: named(url, (name) => (name.startsWith('param_') ? name.slice(6) : undefined)),
    settings: named(url, (name) => settingOf(name, settingNames)),
    http: httpOptionsOf(request, get),
  };
};

/** One that is too large is read to its end: a client reads no answer while it sends. */
const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  if (request.method !== 'POST') return Buffer.alloc(0);
  let bytes = 0;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) chunks.length = 0;
    else chunks.push(chunk);
  });
  await finished(request, { writable: false });
  if (bytes > bodyBytesMax) {
    const sentence = `The body is larger than ${bodyBytesMax} bytes. Send it in parts.`;
    throw new EngineError(131, 'TOO_LARGE_STRING_SIZE', sentence);
  }
  return Buffer.concat(chunks, bytes);
};

const multipartFields = async (request: IncomingMessage, body: Buffer): Promise<[string, string][] | undefined> => {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return undefined;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return [...form].map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    throw new EngineError(48, 'NOT_IMPLEMENTED', `External data (${name}) is not supported here.`);
  });
};

const unpack = { none: (raw: Buffer) => raw, gzip: promisify(gunzip), zstd: promisify(zstdDecompress) };

const encodingOf = (request: IncomingMessage): Compression => {
  const encoding = request.headers['content-encoding'] ?? '';
  if (encoding === '' || encoding === 'identity') return 'none';
  if (encoding === 'gzip' || encoding === 'zstd') return encoding;
  throw new EngineError(
    48,
    'NOT_IMPLEMENTED',
    `Content-Encoding ${encoding} is not supported here, gzip and zstd are.`,
  );
};

const credentialsOf = (request: IncomingMessage, get: (name: string) => string): ClickHouseRequest['credentials'] => {
  const [, basic] = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (basic !== undefined) {
    const text = Buffer.from(basic, 'base64').toString();
    const colon = text.indexOf(':');
    return {
      user: text.slice(0, colon === -1 ? undefined : colon),
      password: colon === -1 ? '' : text.slice(colon + 1),
    };
  }
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const user = header('x-clickhouse-user') ?? get('user');
  return { user: user === '' ? 'default' : user, password: header('x-clickhouse-key') ?? get('password') };
};

const named = (url: URL, rename: (name: string) => string | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    const key = rename(name);
    if (key !== undefined) found.set(key, value);
  }
  return found;
};

const settingOf = (name: string, known: ReadonlySet<string>): string | undefined => {
  if (httpOnly.has(name) || name.startsWith('param_')) return undefined;
  if (known.has(name)) return name;
  throw new EngineError(
    115,
    'UNKNOWN_SETTING',
    `Setting ${name} is neither a builtin setting nor started with the prefix 'SQL_'.`,
  );
};

const httpOptionsOf = (request: IncomingMessage, get: (name: string) => string): HttpQueryOptions => {
  const accepted = request.headers['accept-encoding'];
  const gzip = isOn(get('enable_http_compression')) && (accepted ?? '').includes('gzip');
  const level = Number(get('http_zlib_compression_level') || '3');
  return {
    queryId: get('query_id') || undefined,
    database: get('database') || 'default',
    format: get('default_format') || 'TabSeparated',
    isBuffered: isOn(get('wait_end_of_query')),
    readonly: get('readonly') !== '' && get('readonly') !== '0',
    encoding: gzip ? 'gzip' : undefined,
    gzipLevel: Number.isInteger(level) && level >= 1 && level <= 9 ? level : 3,
  };
};

const isOn = (value: string): boolean => value === '1' || value === 'true';
