import * as fc from 'fast-check';
import { fieldValue, known, numeric, position, segment, text, written } from './hostile-values.js';
import type { Endpoint } from './table/endpoint.js';
import type { CaseRequest } from './harness.js';

const entities: typeof known = {
  ...known,
  '{export_id}': ['{export_id}', '{ready_export_id}'],
  '{dataset_id}': ['{dataset_id}'],
  '{key_id}': ['{key_id}'],
  '{webhook_id}': ['{webhook_id}'],
  '{delivery_id}': ['msg_unknown'],
};

const pathOf = ({ path }: Endpoint): fc.Arbitrary<string> => {
  const placeholders = path.match(/\{\w+\}/g) ?? [];
  const ids = placeholders.map((one) =>
    fc.oneof({ arbitrary: fc.constantFrom(...(entities[one] ?? [])), weight: 2 }, segment),
  );
  return fc
    .tuple(...ids)
    .map((chosen) => placeholders.reduce((filled, one, at) => filled.replace(one, () => chosen[at] ?? one), path));
};

/** Up to eight pairs, mostly of the endpoint's own parameters, repeated and in any order. */
const queryOf = ({ query = [] }: Endpoint): fc.Arbitrary<string> => {
  const names = ['q', 'limit', 'cursor', 'nonsense', '__proto__', '', ...query.map(({ name }) => name)];
  const name = fc.oneof(
    { arbitrary: fc.constantFrom(...(query.length > 0 ? query.map((row) => row.name) : names)), weight: 6 },
    { arbitrary: fc.constantFrom(...names), weight: 1 },
    { arbitrary: written, weight: 1 },
  );
  const pair = fc.oneof(
    { arbitrary: fc.tuple(name, numeric).map(([key, value]) => `${key}=${encodeURIComponent(value)}`), weight: 3 },
    { arbitrary: fc.tuple(name, written).map(([key, value]) => `${key}=${value}`), weight: 3 },
    { arbitrary: written, weight: 1 },
    {
      arbitrary: position.map((value) => `cursor=${value}`),
      weight: query.some((row) => row.name === 'cursor') ? 2 : 0,
    },
  );
  return fc.oneof(
    {
      arbitrary: fc.array(pair, { maxLength: 8 }).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`)),
      weight: 9,
    },
    { arbitrary: written.map((value) => `?${value}`), weight: 1 },
  );
};

const latin = fc.string({
  maxLength: 40,
  unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
});
/** Values that the HTTP client allows: no control characters. */
const headerValue = latin.map((value) => value.replaceAll(/[\u007f]/g, '').trim());

const headers: fc.Arbitrary<Record<string, string>> = fc
  .record(
    {
      accept: fc.oneof(
        fc.constantFrom(
          '*/*',
          'text/csv',
          'application/x-ndjson',
          'application/vnd.apache.parquet',
          'application/vnd.apache.arrow.stream',
          'application/json;q=0',
          'text/html, */*;q=0.1',
        ),
        headerValue,
      ),
      'accept-encoding': fc.oneof(
        fc.constantFrom('gzip', 'zstd', 'gzip, zstd;q=0', 'identity;q=0', '*;q=0', 'br'),
        headerValue,
      ),
      'if-none-match': fc.oneof(fc.constantFrom('*', 'W/"x"', '"1-0", "2-0"'), headerValue),
      prefer: fc.oneof(fc.constantFrom('handling=strict', 'handling=lenient'), headerValue),
      'if-modified-since': headerValue,
      range: fc.oneof(
        fc.constantFrom('bytes=0-0', 'bytes=-5', 'bytes=5-1', 'bytes=0-1,3-4', 'bytes=99999999-', 'rows=1'),
        headerValue,
      ),
      'x-request-id': headerValue,
      'idempotency-key': fc.oneof(fc.constantFrom('one', 'two', 'x'.repeat(5_000)), headerValue),
      cookie: headerValue,
      'content-encoding': fc.constantFrom('gzip', 'identity', 'x'),
      'x-forwarded-for': headerValue,
      'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    },
    { requiredKeys: [] },
  )
  .map((chosen) => Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== '')));

const who: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 12 },
  { arbitrary: headerValue.map((authorization) => ({ authorization })), weight: 1 },
);

const fieldNames = [
  'event',
  'ticker',
  'series',
  'day',
  'streams',
  'format',
  'name',
  'tier_id',
  'as_of',
  'tickers',
  '__proto__',
  'constructor',
];
const fields = (maxKeys: number) =>
  fc.dictionary(fc.oneof({ arbitrary: fc.constantFrom(...fieldNames), weight: 8 }, text), fieldValue, { maxKeys });
const today = new Date().toISOString().slice(0, 10);
const good = [
  { event: 'CF-TICKS-E' },
  { ticker: 'CF-TICKS-1', format: 'parquet' },
  { event: 'GENRATE-NEXT', format: 'jsonl.gz', streams: ['l2'] },
  { event: 'GENRATE-NEXT', format: 'tardis_csv', streams: ['trades'] },
  { series: 'CF-TICKS', day: today },
  { name: 'a key' },
  { name: 'a key that cannot look ahead', as_of: 1_771_993_500 },
  { tickers: ['CF-TICKS-1'], at_ts: [1_771_993_500], as_of: 1_771_993_500 },
  { event: 'CF-TICKS-E', as_of: 1_771_993_500 },
];
const object = fc.oneof(
  fields(5),
  fc.tuple(fc.constantFrom(...good), fields(1)).map(([base, more]) => ({ ...base, ...more })),
);

/** JSON with a part removed and another inserted. */
const broken = fc
  .tuple(
    object,
    fc.nat(80),
    fc.nat(4),
    fc.constantFrom('', '"', '{', '}', '[', ',', ':', '\\', '\\ud800', '\0', 'NaN', '1e999', '💥'),
  )
  .map(([value, at, removedChars, put]) => {
    const json = JSON.stringify(value);
    const from = at % (json.length + 1);
    return json.slice(0, from) + put + json.slice(from + removedChars);
  });

const body = fc.oneof(
  { arbitrary: object.map((value) => JSON.stringify(value)), weight: 6 },
  { arbitrary: broken, weight: 3 },
  { arbitrary: fc.json({ maxDepth: 5 }), weight: 2 },
  { arbitrary: fc.uint8Array({ maxLength: 3_000 }), weight: 1 },
  { arbitrary: fc.nat(2_000).map((depth) => '['.repeat(depth)), weight: 1 },
);
const contentType = fc.oneof(
  { arbitrary: fc.constant('application/json'), weight: 8 },
  {
    arbitrary: fc.constantFrom(
      'application/vnd.x+json',
      'application/json; charset=utf-16',
      'text/plain',
      'multipart/form-data',
    ),
    weight: 1,
  },
  { arbitrary: headerValue, weight: 1 },
);

/** Any request to an endpoint: with its method and path, and everything else valid, nearly valid, or invalid. */
export const requestsTo = (endpoint: Endpoint): fc.Arbitrary<CaseRequest> => {
  const { method } = endpoint;
  const head = { method: fc.constant(method), path: pathOf(endpoint), query: queryOf(endpoint), headers, who };
  const sent =
    method === 'POST'
      ? fc.option(fc.record({ body, contentType }), { nil: undefined, freq: 20 })
      : fc.constant(undefined);
  return fc.record({ ...head, sent }).map(({ path, query, ...chosen }) => ({
    method: chosen.method,
    path: `${path}${query}`,
    headers: {
      ...chosen.headers,
      ...chosen.who,
      ...(chosen.sent === undefined ? {} : { 'content-type': chosen.sent.contentType }),
    },
    ...(chosen.sent === undefined ? {} : { body: chosen.sent.body }),
  }));
};
