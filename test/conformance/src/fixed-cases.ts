import type { Expected } from './parameters.js';
import type { CaseRequest } from './harness.js';
import { table } from './table/table.js';

/** A single request outside the table of parameters. */
export interface Fixed {
  readonly name: string;
  readonly request: CaseRequest;
  readonly expected: Expected;
  /** Undefined removes the header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const isAllowed = (path: string, method: string): boolean =>
  table.some((row) => row.path === path && row.method === (method === 'HEAD' ? 'GET' : method));

/** Each path of the table, with any ids, and its methods as `Allow` lists them. */
export const allowed: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set(table.map(({ path }) => path))].map((path) => [
    path.replaceAll(/\{\w+\}/g, 'x'),
    ['GET', 'HEAD', 'POST', 'DELETE'].filter((method) => isAllowed(path, method)).join(', '),
  ]),
);

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

/** 405 with the allowed methods comes before the check of the key. */
export const wrongMethods: readonly Fixed[] = Object.entries(allowed).flatMap(([path, allow]) =>
  methods
    .filter((method) => !allow.split(', ').includes(method))
    .map((method) => ({
      name: `${method} ${path}`,
      request: { method, path, who: 'stranger' as const },
      expected: { status: 405, code: 'method_not_allowed' },
      headers: { allow },
    })),
);

const noPaths = [
  '',
  '/',
  '//',
  '/nothing',
  '/Search',
  '/SERIES',
  '//search',
  '/series/a/b',
  '/search//',
  '/nothing/',
  '/events',
  '/events/',
  '/markets//preview',
  '/markets/a/Preview',
  '/markets/a/b',
  '/exports/a/files',
  '/keys/a/b',
  '/plan/x',
  '/operator',
  '/operator/statuses',
  '/%73earc',
  '/search%00',
  '/search%3Fq=a',
  '/search;a=b',
  '/%',
  '/series/%zz?limit=0',
];

/** 404 comes before everything else. */
export const unknownPaths: readonly Fixed[] = noPaths.map((path) => ({
  name: `GET ${path}`,
  request: { path, who: 'stranger' },
  expected: { status: 404, code: 'not_found' },
}));

/** A slash too many changes nothing, except that `//` is no path. */
export const trailingSlashes: readonly Fixed[] = [
  ...['/search/?limit=1', '/series/CF-TICKS/', '/markets/CF-TICKS-1/preview/', '/exports/formats/', '/keys/'].map(
    (path) => ({ name: `GET ${path}`, request: { path }, expected: { status: 200 as const } }),
  ),
  ...['/series/', '/exports/', '/markets/a/preview/'].map((path) => ({
    name: `GET ${path} without a key`,
    request: { path, who: 'stranger' as const },
    expected: { status: 401, code: 'unauthenticated' },
  })),
  {
    name: 'GET /series/NO-SUCH/',
    request: { path: '/series/NO-SUCH/' },
    expected: { status: 404, code: 'series_not_found' },
  },
];

const body = (bytes: number): string => `{"event":"NO-SUCH"${' '.repeat(bytes - 19)}}`;
const limit = 262_144;

export const lengths: readonly Fixed[] = [
  {
    name: 'a body of 256 KiB is read',
    request: { method: 'POST', path: '/exports', body: body(limit) },
    expected: { status: 404, code: 'event_not_found' },
  },
  {
    name: 'a longer body is 413, before the check of the key',
    request: { method: 'POST', path: '/exports', body: body(limit + 1), who: 'stranger' },
    expected: { status: 413, code: 'payload_too_large' },
  },
  {
    name: 'a chunked body is counted',
    request: { method: 'POST', path: '/keys', body: body(limit + 1), headers: { 'transfer-encoding': 'chunked' } },
    expected: { status: 413, code: 'payload_too_large' },
  },
  {
    name: 'a long body is 413 even where none is read',
    request: { path: '/search', body: body(limit + 1), who: 'stranger' },
    expected: { status: 413, code: 'payload_too_large' },
  },
  {
    name: 'a short body is ignored where none is read',
    request: { path: '/plan', body: '{' },
    expected: { status: 200 },
  },
];

const unauthenticated = { status: 401, code: 'unauthenticated' };
const key = (authorization: string, name = 'authorization'): CaseRequest['headers'] => ({ [name]: authorization });

/** `{key}` stands for the caller's own key. */
export const credentials: readonly Fixed[] = [
  ...[
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Basic {key}',
    '{key}',
    'Bearer{key}',
    'Bearer {key}x',
    'Bearer {key} {key}',
    'Bearer, {key}',
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer ak_live_',
    'Bearer \u00ff',
  ].map((authorization) => ({
    name: `Authorization: ${authorization.slice(0, 40)} is 401`,
    request: { path: '/plan', who: 'stranger' as const, headers: key(authorization) ?? {} },
    expected: unauthenticated,
  })),
  ...['Bearer {key}', 'bearer {key}', 'BEARER {key}', 'bEaReR   {key}', 'Bearer {key} '].map((authorization) => ({
    name: `Authorization: ${authorization} is accepted`,
    request: { path: '/plan', headers: key(authorization) ?? {} },
    expected: { status: 200 as const },
  })),
  {
    name: 'AUTHORIZATION is accepted',
    request: { path: '/plan', headers: key('Bearer {key}', 'AUTHORIZATION') ?? {} },
    expected: { status: 200 },
  },
];

const zeroLimit = {
  items: [
    {
      type: 'greater_than_equal',
      loc: ['query', 'limit'],
      msg: 'Input should be greater than or equal to 1',
      input: '0',
      ctx: { ge: 1 },
    },
  ],
};

/** Other spellings of a query, and irrelevant headers. */
export const spellings: readonly Fixed[] = [
  { name: 'an encoded parameter name is decoded', request: { path: '/search?%6ci%6Dit=0' }, expected: zeroLimit },
  {
    name: 'a name in capitals is an unknown parameter',
    request: { path: '/search?LIMIT=0' },
    expected: { status: 200 },
  },
  { name: 'a semicolon separates nothing', request: { path: '/search?a=1;limit=0' }, expected: { status: 200 } },
  { name: 'empty pairs are ignored', request: { path: '/search?&&limit=0&&' }, expected: zeroLimit },
  {
    name: 'a second question mark is part of the name',
    request: { path: '/search??limit=0' },
    expected: { status: 200 },
  },
  ...[{ expect: 'nonsense' }, { connection: 'upgrade', upgrade: 'websocket' }, { cookie: '\u00ff=;;' }].map(
    (headers) => ({
      name: `${Object.entries(headers).join('; ')} changes nothing`,
      request: { path: '/plan', headers },
      expected: { status: 200 as const },
    }),
  ),
];
