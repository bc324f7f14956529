import * as fc from 'fast-check';
import { written } from './hostile-values.js';

/** Bytes for a connection. `{key}` stands for a valid API key. */
export interface RawInput {
  readonly text: string;
  /** Whether the first request line has HEAD, whose answer has no body. */
  readonly isHead: boolean;
}

const methods = ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT', 'PRI', 'PROPFIND', 'M-SEARCH'];
const odd = ['get', 'G', 'GET\t', ' GET', 'GÉT', 'GET\0', 'X'.repeat(300), '', '\x16\x03\x01', '{"a":1}'];
const method = fc.oneof(
  { arbitrary: fc.constantFrom(...methods), weight: 12 },
  { arbitrary: fc.constant('GET'), weight: 12 },
  { arbitrary: fc.constantFrom(...odd), weight: 1 },
);

const targets = [
  '/api/v1/plan',
  '/api/v1/markets?limit=1',
  '/api/v1/markets/CF-TICKS-1/snapshots?limit=2',
  '/api/v1/exports',
  '/api/v1/keys',
  '/api/v1/exports/x/events',
  '/webhooks/stripe',
  '/docs',
  '/openapi.json',
  '/',
  '*',
  'localhost:80',
  'http://other.example/api/v1/plan',
  'http://[::1',
  '//api/v1/plan',
  '/api/v1/../../etc/passwd',
  '/%',
  '?',
  '#',
  '\\',
  '',
];
const target = fc.oneof(
  { arbitrary: fc.constantFrom(...targets), weight: 8 },
  { arbitrary: written.map((value) => `/api/v1/search?q=${value}`), weight: 2 },
  { arbitrary: written.map((value) => `/api/v1/markets/${value}`), weight: 1 },
  { arbitrary: fc.integer({ min: 1, max: 70_000 }).map((length) => `/${'a'.repeat(length)}`), weight: 1 },
);

const version = fc.oneof(
  { arbitrary: fc.constant('HTTP/1.1'), weight: 30 },
  { arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.11', 'http/1.1', 'HTTP', ''), weight: 2 },
);

const headerLines = [
  'Authorization: Bearer {key}',
  'authorization: Bearer {key}\r\nAuthorization: Bearer x',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\nConnection: upgrade',
  'Upgrade: ',
  'Expect: 100-continue',
  'Expect: nonsense',
  'Content-Type: application/json',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: -1',
  'Content-Length: 1e3',
  'Content-Length: 99999999999999999999',
  'Content-Length: 999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Trailer: x',
  'TE: trailers',
  'Host: other',
  'Host: a b',
  'Host:',
  ' folded: line',
  'no colon',
  ': no name',
  'bad name: x',
  'Bad\0: x',
  'X: \0',
  'X: \r',
  'X: a\nY: b',
  'Range: bytes=0-',
  'Accept-Encoding: zstd, gzip',
  'If-None-Match: *',
  'Cookie: session=x; session=y',
  'Proxy-Connection: keep-alive',
  'Forwarded: for=_x',
  'X-Forwarded-For: 1.2.3.4, x',
  `X: ${'y'.repeat(70_000)}`,
];
const headerLine = fc.oneof(
  { arbitrary: fc.constantFrom(...headerLines), weight: 8 },
  { arbitrary: fc.string({ maxLength: 40, unit: 'binary-ascii' }), weight: 1 },
);
const headers = fc
  .tuple(
    fc.oneof({ arbitrary: fc.constant(['Host: localhost']), weight: 9 }, { arbitrary: fc.constant([]), weight: 1 }),
    fc.oneof(
      { arbitrary: fc.constant(['Authorization: Bearer {key}']), weight: 2 },
      { arbitrary: fc.constant<string[]>([]), weight: 1 },
    ),
    fc.oneof(
      { arbitrary: fc.constant<string[]>([]), weight: 1 },
      { arbitrary: fc.array(headerLine, { minLength: 1, maxLength: 3 }), weight: 2 },
    ),
  )
  .map((lines) => lines.flat());

const body = fc.oneof(
  { arbitrary: fc.constant(''), weight: 6 },
  {
    arbitrary: fc.constantFrom(
      '{"name":"x"}',
      '5\r\nhello\r\n0\r\n\r\n',
      '5\r\nhello\r\n0\r\nX: y\r\n\r\n',
      '5;ext="\r\n\r\n',
      'ffffffffffffffff\r\n',
      '-1\r\n\r\n',
      '5\r\nhello!!\r\n0\r\n\r\n',
      '0\r\n\r\n',
      '\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ),
    weight: 4,
  },
  { arbitrary: fc.string({ maxLength: 60, unit: 'binary-ascii' }), weight: 1 },
);

const lineEnd = fc.oneof(
  { arbitrary: fc.constant('\r\n'), weight: 40 },
  { arbitrary: fc.constantFrom('\n', '\r', '\r\r\n'), weight: 1 },
);

const request = fc
  .record({ method, target, version, headers, body, lineEnd })
  .map((one) => [`${one.method} ${one.target} ${one.version}`, ...one.headers, '', one.body].join(one.lineEnd));

/** One to three requests on a connection, sometimes cut or with other bytes between. */
export const rawInputs: fc.Arbitrary<RawInput> = fc.oneof(
  {
    arbitrary: fc.array(request, { minLength: 1, maxLength: 3 }).map((all) => ({ text: all.join(''), isHead: false })),
    weight: 8,
  },
  { arbitrary: request.map((one) => ({ text: one.replace(/^\S+/, 'HEAD'), isHead: true })), weight: 1 },
  {
    arbitrary: fc
      .tuple(request, fc.nat(400), fc.nat(6), fc.string({ maxLength: 6, unit: 'binary-ascii' }))
      .map(([one, at, removed, put]) => one.slice(0, at) + put + one.slice(at + removed))
      .map((text) => ({ text, isHead: false })),
    weight: 3,
  },
  {
    arbitrary: fc.string({ maxLength: 200, unit: 'binary-ascii' }).map((text) => ({ text, isHead: false })),
    weight: 1,
  },
);
