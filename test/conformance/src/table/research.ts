import { asOf, asOfField } from '../as-of.js';
import { sizes, ticksStartS } from '../archive.js';
import { type BodyRows, bodyCase, fieldCases, noBodies, words } from '../bodies.js';
import { cursor } from '../cursors.js';
import { choice, type Case, type Expected, integer, number, type Parameter } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const ticker = 'CF-TICKS-1';
const book = `/markets/${ticker}/book`;
const candles = `/markets/${ticker}/candles`;
const event = '/events/CF-TICKS-E/snapshots';
const ladder = '/events/CF-BIG-LADDER/snapshots';
const last = 4_102_444_800;
const endS = ticksStartS + sizes.rows - 1;
const window = `start_ts=${ticksStartS}&end_ts=${ticksStartS + 60}`;

const momentFields =
  "'venue_ts', 'seq', 'yes_best_bid', 'yes_best_ask', 'coin_price', 'yes_best_bid_size' or 'yes_best_ask_size'";

const refused = (code: string): Expected => ({ status: 400, code });
const format = (basePath: string) =>
  choice('format', {
    basePath,
    words: ['json', 'csv', 'ndjson', 'parquet', 'arrow'],
    listed: "'json', 'csv', 'ndjson', 'parquet' or 'arrow'",
    default: undefined,
  });
const numbers = (basePath: string) =>
  choice('numbers', {
    basePath: `${basePath}${basePath.includes('?') ? '&' : '?'}format=csv`,
    words: ['decimal', 'float'],
    listed: "'decimal' or 'float'",
    default: 'decimal',
  });
const fill = (basePath: string, preset: string, listed: string) =>
  choice('fill', { basePath, words: listed.replaceAll("'", '').split(' or '), listed, default: preset });

const noWindow = (path: string, query: string): Case => ({
  name: `${path}?${query}`,
  request: { path: `${path}?${query}` },
  expected: refused('invalid_window'),
});

const at: BodyRows = { method: 'POST', path: '/markets/at' };
const batch: BodyRows = { method: 'POST', path: '/markets/candles' };
const tickers = { tickers: [ticker] };
const moments = { at_ts: [endS] };
const counted = (value: number): Expected => ({ status: 200, shows: ({ count }) => count, value });

const some: Expected = { status: 200, shows: ({ count = 0 }) => count > 0, value: true };

const noNumber = { type: 'float_type', msg: 'Input should be a valid number' };
const noParsed = {
  type: 'float_parsing',
  msg: 'Input should be a valid number, unable to parse string as a number',
};
const item = (name: string, index: number, fault: object, input: unknown): Expected => ({
  items: [{ type: '', msg: '', ...fault, loc: ['body', name, index], input }],
});

const tickerCases = (rows: BodyRows, otherFields: object, max: number): Case[] =>
  fieldCases(rows, { name: 'tickers', otherFields }, [
    [null, words.noList],
    ['x', words.noList],
    [[], words.emptyList],
    [Array.from({ length: max + 1 }, (_, index) => `T${index}`), words.longList(max, max + 1)],
    [[5], item('tickers', 0, words.noText, 5)],
    [['NO-SUCH'], { status: 404, code: 'market_not_found' }],
    [['a\0b'], { status: 404, code: 'market_not_found' }],
  ]);

const momentCases: Case[] = [
  ...tickerCases(at, moments, 500),
  ...fieldCases(at, { name: 'at_ts', otherFields: tickers }, [
    [null, words.noList],
    [5, words.noList],
    [[], words.emptyList],
    [Array.from({ length: 1_001 }, (_, index) => index), words.longList(1_000, 1_001)],
    [[[]], item('at_ts', 0, noNumber, [])],
    [['x'], item('at_ts', 0, noParsed, 'x')],
    [['5', 5, true], counted(2)],
    [[endS, 1, endS], counted(2)],
    [[-1], refused('invalid_window')],
    [[1_771_993_365_058], refused('invalid_window')],
    [[last], counted(1)],
  ]),
  ...fieldCases(at, { name: 'fields', otherFields: { ...tickers, ...moments } }, [
    [[], words.emptyList],
    [['seq'], counted(1)],
    [['yes_best_bid_size', 'yes_best_ask_size'], counted(1)],
    [['x'], item('fields', 0, words.none(momentFields), 'x')],
  ]),
  bodyCase(at, 'the last observation at or before a moment', {
    body: JSON.stringify({ ...tickers, at_ts: [ticksStartS + 1.5] }),
    expected: {
      status: 200,
      shows: ({ snapshots = [] }) => snapshots.map(({ ts }) => ts),
      value: [ticksStartS + 1],
    },
  }),
];

const sumOf = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

const periods: Case[] = [
  {
    name: 'period_s with points',
    request: { path: `${candles}?period_s=60&points=10` },
    expected: refused('invalid_period'),
  },
  {
    name: 'candles with trades',
    request: { path: `${candles}?${window}&period_s=60` },
    expected: {
      status: 200,
      // Each second has a trade of 2 contracts.
      shows: ({ candles: found = [] }) => [sumOf(found, 'trades'), sumOf(found, 'volume')],
      value: [60, 120],
    },
  },
  noWindow(candles, 'start_ts=100&end_ts=100'),
  noWindow(candles, 'start_ts=1771993365058'),
];

/** Without it and `points`, it is 60. The document has no default, because `points` replaces it. */
const periodS: Parameter = {
  ...integer('period_s', {
    from: 1,
    to: 86_400,
    default: 60,
    basePath: candles,
    shows: (body) => body['period_s'],
    refusal: (second) => (86_400 % second === 0 ? undefined : refused('invalid_period')),
  }),
  published: { type: 'integer', minimum: 1, maximum: 86_400, default: undefined },
};

const batchBody = JSON.stringify({ ...tickers, start_ts: ticksStartS, end_ts: ticksStartS + 60 });

export const researchTable: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/markets/{ticker}/book',
    good: book,
    deadlineMs: 15_000,
    id: { path: '/markets/{}/book', known: ticker, absence: 'market_not_found' },
    query: [
      number('at_ts', { basePath: book, takes: [0, last], shows: (body) => body['at_ts'], seen: (ts) => ts ?? endS }),
      integer('depth', { from: 1, to: 10_000, default: undefined, basePath: book }),
      numbers(book),
      asOf(book, 'market_not_found'),
      format(book),
    ],
    cases: [noWindow(book, 'at_ts=-0.000001'), noWindow(book, 'at_ts=1771993365058')],
  },
  {
    method: 'GET',
    path: '/markets/{ticker}/candles',
    good: candles,
    deadlineMs: 15_000,
    id: { path: '/markets/{}/candles', known: ticker, absence: 'market_not_found' },
    query: [
      number('start_ts', { basePath: `${candles}?end_ts=${last}`, takes: [0, last - 1] }),
      number('end_ts', { basePath: `${candles}?start_ts=0`, takes: [0.000_001, last] }),
      periodS,
      integer('points', { from: 10, to: 5_000, default: undefined, basePath: candles }),
      fill(candles, 'none', "'none' or 'previous'"),
      numbers(candles),
      asOf(candles, 'market_not_found'),
      format(candles),
    ],
    cases: periods,
  },
  {
    ...at,
    good: '/markets',
    deadlineMs: 15_000,
    cases: [
      ...noBodies(at, { body: JSON.stringify({ ...tickers, ...moments }), expected: counted(1) }),
      ...momentCases,
      ...asOfField(at, { ...tickers, ...moments }),
    ],
  },
  {
    ...batch,
    good: '/markets',
    deadlineMs: 15_000,
    cases: [
      ...noBodies(batch, { body: batchBody, expected: some }),
      ...tickerCases(batch, {}, 100),
      ...asOfField(batch, tickers),
      ...fieldCases(batch, { name: 'period_s', otherFields: tickers }, [
        [7, refused('invalid_period')],
        [1.5, { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' }],
        [[], { type: 'int_type', msg: 'Input should be a valid integer' }],
        [null, { type: 'int_type', msg: 'Input should be a valid integer' }],
      ]),
    ],
  },
  {
    method: 'GET',
    path: '/events/{event_id}/snapshots',
    good: event,
    deadlineMs: 15_000,
    id: { path: '/events/{}/snapshots', known: 'CF-TICKS-E', absence: 'event_not_found' },
    query: [
      integer('step_ms', {
        from: 100,
        to: 86_400_000,
        default: 1_000,
        basePath: `${event}?${window}`,
        shows: (body) => body['step_ms'],
      }),
      number('start_ts', { basePath: `${event}?end_ts=${last}`, takes: [0, last - 1] }),
      number('end_ts', { basePath: `${event}?start_ts=0`, takes: [0.000_001, 5_000] }),
      fill(`${event}?${window}`, 'previous', "'previous' or 'none'"),
      integer('limit', {
        from: 1,
        to: 100,
        default: 100,
        basePath: `${ladder}?${window}`,
        shows: ({ count }) => count,
      }),
      cursor('cursor', { path: `${ladder}?${window}`, shows: ({ count }) => count, all: 100 }),
      numbers(`${event}?${window}`),
      asOf(`${event}?${window}`, 'event_not_found'),
      format(`${event}?${window}`),
    ],
    cases: [noWindow(event, 'start_ts=100&end_ts=100'), noWindow(event, 'start_ts=1771993365058')],
  },
];
