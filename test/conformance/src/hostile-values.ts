import * as fc from 'fast-check';

/** Existing ids, by the name of the id in the specification. */
export const known: Readonly<Record<string, readonly string[]>> = {
  '{series_id}': ['CF-DAYS', 'CF-BIG', 'CF-TICKS', 'GENBTC15M', 'GENBTCH', 'GENRATE'],
  '{event_id}': ['CF-TICKS-E', 'CF-BIG-LADDER', 'CF-DAYS-E0', 'GENRATE-NEXT'],
  '{ticker}': ['CF-TICKS-1', 'CF-DAYS-3', 'CF-BIG-LADDER-000', 'GENRATE-NEXT-HOLD', 'GENRATE-NEXT-CUT25'],
};
const ids = Object.values(known).flat();
/** Ids that nearly exist. */
const near = fc
  .tuple(fc.constantFrom(...ids), fc.nat(20), fc.string({ maxLength: 3, unit: 'grapheme' }))
  .map(([id, at, more]) => `${id.slice(0, at)}${more}${id.slice(at + more.length)}`);

const nasty = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{feff}',
  '\u202e',
  '..',
  '../..',
  '/',
  '\\',
  '%',
  '%00',
  '%25',
  '+',
  '&',
  '=',
  '#',
  '?',
  '*',
  '>',
  'evt.>',
  '$JS.API.>',
  "'",
  '"',
  '`',
  "' OR 1=1 --",
  '{x:String}',
  '\\N',
  '\t\n',
  '${7*7}',
  '<script>',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '日本語',
  '💥',
  '👩‍👩‍👧',
  'ﬀ',
  'İ',
  'ß',
  '\u0301'.repeat(50),
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(9_000),
];

/** A text that a client might send as a name. */
export const text = fc.oneof(
  { arbitrary: fc.constantFrom(...ids), weight: 4 },
  { arbitrary: near, weight: 2 },
  { arbitrary: fc.constantFrom(...nasty), weight: 3 },
  { arbitrary: fc.string({ maxLength: 60, unit: 'binary' }), weight: 2 },
  { arbitrary: fc.string({ maxLength: 30, unit: 'grapheme' }), weight: 1 },
  { arbitrary: fc.uuid(), weight: 1 },
);

const edges = [-1, 0, 1, 2, 7, 8, 40, 80, 200, 201, 400, 401, 1_000, 5_000, 5_001, 10_000, 10_001, 60_000, 60_001];
const far = ['1e308', '1e309', '-1e308', '5e-324', '9007199254740993', '9223372036854775808', '-9223372036854775809'];

/** A text that is a number, or nearly one. */
export const numeric = fc.oneof(
  fc.constantFrom(...edges.map(String)),
  fc.constantFrom(...far, '0'.repeat(400), '9'.repeat(400), '1_0', '+1', ' 1 ', '1.', '.5', '1e3', '0x10', '-0', '٣'),
  fc.integer().map(String),
  fc.double().map(String),
  fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }).map(String),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
);

const word = fc.oneof(
  text,
  numeric,
  fc.constantFrom('true', 'false', 'yes', 'off', 'live', 'closed', 'finalized', 'crypto'),
);

const percentJunk = fc
  .array(fc.constantFrom('%', '%0', '%zz', '%ff', '%c3', '%28', '%00', '%2F', '%2e', 'a', ';', '='), {
    maxLength: 8,
  })
  .map((segments) => segments.join(''));

/** A value as written in a URL: encoded, or invalid. */
export const written = fc.oneof(
  { arbitrary: word.map((value) => encodeURIComponent(value)), weight: 80 },
  { arbitrary: word.map((value) => encodeURIComponent(value).replaceAll('%20', '+').toLowerCase()), weight: 10 },
  { arbitrary: percentJunk, weight: 10 },
  // Sent unencoded, which makes it an invalid HTTP request.
  { arbitrary: fc.constant('\u00e9'), weight: 1 },
);

const part = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 0.5, '', '0', '-0.00000001', '9999999999.99999999', '1e9', 'NaN', '\0'),
  fc.maxSafeInteger(),
  fc.constantFrom(...ids),
  text,
);

/** A well-formed cursor of a position that a listing might create. */
export const position = fc
  .array(part, { minLength: 1, maxLength: 5 })
  .map((segments) => Buffer.from(JSON.stringify(segments)).toString('base64url'));

/** A path segment. Empty segments and dots are excluded, since they give another path. */
export const segment = fc
  .oneof({ arbitrary: text.map((value) => encodeURIComponent(value).replaceAll('.', '%2E')), weight: 8 }, percentJunk)
  .filter((value) => value !== '');

/** Any JSON for a field, mostly valid. */
export const fieldValue = fc.oneof(
  { arbitrary: text, weight: 5 },
  {
    arbitrary: fc.constantFrom(
      'csv',
      'parquet',
      'jsonl.gz',
      'hftbacktest',
      'pro',
      '2026-02-24',
      '2026-02-30',
      null,
      5,
      true,
    ),
    weight: 3,
  },
  {
    arbitrary: fc.array(
      fc.constantFrom<unknown>('snapshots', 'settlement', 'l2', 'trades', 'sizes', 'candles', 'x', 7, null),
      {
        maxLength: 4,
      },
    ),
    weight: 2,
  },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 },
);
