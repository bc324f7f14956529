import { asOf, asOfAbsent, asOfField } from '../as-of.js';
import { bodyCase, dayFaults, type BodyRows, extra, fieldCases, noBodies, words } from '../bodies.js';
import { cursor } from '../cursors.js';
import { choice, type Expected, filter, integer, long, type Shown } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const at: BodyRows = { method: 'POST', path: '/exports' };
const event = 'CF-TICKS-E';
const made = (shows: (body: Shown) => unknown, value: unknown): Expected => ({ status: 200, shows, value });
const count = ({ count: shown }: Shown) => shown;
const notFound = (code: string): Expected => ({ status: 404, code });
const refused = (code: string): Expected => ({ status: 400, code });
const pending = made(({ status, bytes, event: shown }) => [status, bytes, shown], ['pending', 0, event]);

const absences = { events: 'event_not_found', tickers: 'market_not_found' } as const;

const formats = words.none("'csv', 'parquet', 'json', 'jsonl.gz', 'hftbacktest' or 'tardis_csv'");
const streams = words.none("'snapshots', 'settlement', 'l2', 'trades', 'sizes' or 'candles'");
const fields = [
  'event',
  'ticker',
  'series',
  'day',
  'streams',
  'format',
  'from',
  'to',
  'events',
  'tickers',
  'split',
  'numbers',
  'csv_formulas',
  'dataset',
  'use_free_credit',
  'as_of',
];
const nonsense = extra(['body', 'nonsense'], 'x', fields);
const ownOption = (name: string, input: unknown) => {
  const msg = `Value error, a dataset has its own ${name}, so send dataset without it`;
  return { type: 'value_error', loc: ['body', name], msg, input, ctx: { error: {} } };
};
const stream = (index: number, input: unknown): Expected => ({
  items: [{ ...streams, loc: ['body', 'streams', index], input }],
});
const formatOf = (format: string): Expected => made((body) => body['format'], format);
const streamsOf = (...value: string[]): Expected => made((body) => body['streams'], value);

/** Fields that name the target of an export: any text is valid, and null and the empty text are absent. */
const target = (name: 'event' | 'ticker' | 'series' | 'dataset', absence: string, otherFields: object) =>
  fieldCases(at, { name, otherFields }, [
    ...[5, 0, true, [event], {}, { a: 1 }].map((value) => [value, words.noText] as const),
    ...['NO-SUCH', '日本語', '💥', 'a\0b', '..', '../x', '/', `"'`, '*', '>', 'CON', long].map(
      (value) => [value, notFound(absence)] as const,
    ),
  ]);

export const exportsTable: readonly Endpoint[] = [
  { method: 'GET', path: '/exports/formats', good: '/exports/formats', deadlineMs: 10_000 },
  {
    method: 'POST',
    path: '/exports',
    good: '/exports',
    deadlineMs: 10_000,
    cases: [
      ...noBodies(at, { body: JSON.stringify({ event }), expected: pending }),
      ...target('event', 'event_not_found', {}),
      ...target('ticker', 'market_not_found', {}),
      ...target('series', 'series_not_found', { day: '2026-01-01' }),
      ...target('dataset', 'dataset_not_found', {}),
      ...fieldCases(at, { name: 'day', otherFields: { series: 'CF-TICKS' } }, [
        ...[5, 20_260_101, true, ['2026-01-01'], {}].map((value) => [value, words.noText] as const),
        ...dayFaults.map(([value, error]) => [value, words.noDay(error)] as const),
        ['2024-02-29', notFound('no_data_for_day')],
        ['2999-12-31', notFound('no_data_for_day')],
        ['', refused('missing_target')],
        [null, refused('missing_target')],
      ]),
      ...fieldCases(at, { name: 'streams', otherFields: { event } }, [
        ...[null, 'l2', 5, true, {}].map((value) => [value, words.noList] as const),
        [[], words.emptyList],
        [['x'], stream(0, 'x')],
        [['l2', 7], stream(1, 7)],
        [['l2', 'settlement', null], stream(2, null)],
        [['L2'], stream(0, 'L2')],
        [[long], stream(0, long)],
        [['settlement'], streamsOf('settlement')],
        [['l2', 'l2'], streamsOf('l2')],
        [['trades', 'sizes', 'candles'], streamsOf('trades', 'sizes', 'candles')],
      ]),
      bodyCase(at, 'streams left out', {
        body: JSON.stringify({ event }),
        expected: streamsOf('snapshots', 'settlement'),
      }),
      ...fieldCases(at, { name: 'format', otherFields: { event } }, [
        ...['xml', '', 'CSV', ' csv', 'csv\0', '💥', long].map((value) => [value, formats] as const),
        ...[null, 5, true, ['csv'], { a: 1 }].map((value) => [value, formats] as const),
        ...['csv', 'parquet', 'json', 'jsonl.gz'].map((value) => [value, formatOf(value)] as const),
      ]),
      bodyCase(at, 'tardis_csv with order books', {
        body: JSON.stringify({ event, format: 'tardis_csv', streams: ['l2'] }),
        expected: formatOf('tardis_csv'),
      }),
      ...(
        [
          ['tardis_csv with settlements', { event, format: 'tardis_csv' }],
          ['tardis_csv with two layouts', { event, format: 'tardis_csv', streams: ['l2', 'trades'] }],
          ['hftbacktest with several markets', { event, format: 'hftbacktest', streams: ['l2', 'trades'] }],
          ['tardis_csv with candles', { event, format: 'tardis_csv', streams: ['candles'] }],
          ['hftbacktest with quotes', { ticker: 'NO-SUCH', format: 'hftbacktest', streams: ['l2', 'sizes'] }],
        ] as const
      ).map(([name, body]) => bodyCase(at, name, { body: JSON.stringify(body), expected: refused('invalid_input') })),
      bodyCase(at, 'format left out', { body: JSON.stringify({ event }), expected: formatOf('csv') }),
      ...(
        [
          ['numbers', 'decimal', 'float', 'Float'],
          ['csv_formulas', 'keep', 'escape', 'Escape'],
        ] as const
      ).flatMap(([name, usual, other, wrong]) =>
        fieldCases(at, { name, otherFields: { event } }, [
          ...['none', '', wrong, null, 5, true, [other]].map(
            (value) => [value, words.none(`'${usual}' or '${other}'`)] as const,
          ),
          ...[usual, other].map((value) => [value, made((body) => body[name], value)] as const),
        ]),
      ),
      ...fieldCases(at, { name: 'use_free_credit', otherFields: { event } }, [
        ...[null, [true], {}].map((value) => [value, words.noTruth] as const),
        ...['', 'x', 2, -1, 0.5].map((value) => [value, words.unclearTruth] as const),
        ...[true, false, 1, 0, 'yes', 'off'].map((value) => [value, made((body) => body['grant'], 'plan')] as const),
      ]),
      bodyCase(at, 'csv_formulas for a format without formulas', {
        body: JSON.stringify({ event, format: 'parquet', csv_formulas: 'escape' }),
        expected: made((body) => body['csv_formulas'], 'keep'),
      }),
      ...(['numbers decimal', 'csv_formulas keep'] as const).map((text) => {
        const [name = '', value] = text.split(' ');
        return bodyCase(at, `${name} left out`, {
          body: JSON.stringify({ event }),
          expected: made((body) => body[name], value),
        });
      }),
      ...(
        [
          ['nothing', {}, refused('missing_target')],
          ['only unknown fields', { nonsense: 'x' }, { items: [nonsense] }],
          ['an unknown field beside an event', { event, nonsense: 'x' }, { items: [nonsense] }],
          ['empty texts', { event: '', ticker: '', series: '', day: '' }, refused('missing_target')],
          ['nulls', { event: null, ticker: null, series: null, day: null }, refused('missing_target')],
          ['a series without a day', { series: 'CF-TICKS' }, refused('missing_target')],
          ['a day without a series', { day: '2026-01-01' }, refused('missing_target')],
          ['an event and a ticker', { event, ticker: 'CF-TICKS-1' }, refused('ambiguous_target')],
          ['an event and a day', { event, day: '2026-01-01' }, refused('ambiguous_target')],
          ['a ticker and a series', { ticker: 'CF-TICKS-1', series: 'CF-TICKS' }, refused('ambiguous_target')],
          ['an event beside empty ones', { event, ticker: '', series: null }, pending],
          ['a ticker', { ticker: 'CF-TICKS-1' }, pending],
          ['a dataset', { dataset: '{dataset_id}' }, pending],
          ['a dataset and an event', { dataset: '{dataset_id}', event }, refused('ambiguous_target')],
          ['an event beside an empty dataset', { event, dataset: '' }, pending],
        ] as const
      ).map(([name, body, expected]) => bodyCase(at, name, { body: JSON.stringify(body), expected })),
      ...(['events', 'tickers'] as const).flatMap((name) =>
        fieldCases(at, { name }, [
          ...['CF-TICKS-E', 5, true, {}].map((value) => [value, words.noList] as const),
          [[], words.emptyList],
          [Array.from({ length: 101 }, (_, n) => `E-${n}`), words.longList(100, 101)],
          [Array.from({ length: 100 }, (_, n) => `E-${n}`), notFound(absences[name])],
          [['NO-SUCH'], notFound(absences[name])],
          [null, refused('missing_target')],
        ]),
      ),
      bodyCase(at, 'events: an item that is no text', {
        body: '{"events":["CF-TICKS-E",5,""]}',
        expected: {
          items: [
            { ...words.noText, loc: ['body', 'events', 1], input: 5 },
            { ...words.shorter(1), loc: ['body', 'events', 2], input: '' },
          ],
        },
      }),
      ...(['from', 'to'] as const).flatMap((name) => {
        const other = name === 'from' ? { to: '2026-01-31' } : { from: '2026-01-01' };
        return fieldCases(at, { name, otherFields: { series: 'CF-TICKS', ...other } }, [
          ...[5, true, ['2026-01-01'], {}].map((value) => [value, words.noText] as const),
          ...dayFaults.map(([value, error]) => [value, words.noDay(error)] as const),
          ['2026-01-31', notFound('no_data_for_day')],
          ['', refused('missing_target')],
          [null, refused('missing_target')],
        ]);
      }),
      ...fieldCases(at, { name: 'to', otherFields: { series: 'CF-TICKS', from: '2026-01-01' } }, [
        ['2025-12-31', words.fromDay('2026-01-01')],
        ['2026-02-01', words.untilDay('2026-01-31')],
      ]),
      ...fieldCases(at, { name: 'split', otherFields: { event } }, [
        ...['', 'DAY', 'month', null, 5, true, ['day']].map((value) => [value, words.none("'none' or 'day'")] as const),
        ['none', pending],
        ['day', refused('missing_target')],
      ]),
      ...(
        [
          ['a list of one event', { events: [event] }, pending],
          ['a list of one ticker', { tickers: ['CF-TICKS-1'] }, pending],
          ['an event and events', { event, events: [event] }, refused('ambiguous_target')],
          ['events and tickers', { events: [event], tickers: ['CF-TICKS-1'] }, refused('ambiguous_target')],
          [
            'a day and a range',
            { series: 'CF-TICKS', day: '2026-01-01', to: '2026-01-02' },
            refused('ambiguous_target'),
          ],
          ['a range without a series', { from: '2026-01-01', to: '2026-01-02' }, refused('missing_target')],
          ['half a range', { series: 'CF-TICKS', from: '2026-01-01' }, refused('missing_target')],
        ] as const
      ).map(([name, body, expected]) => bodyCase(at, name, { body: JSON.stringify(body), expected })),
      ...asOfField(at, { event }),
      bodyCase(at, 'a dataset with options of its own', {
        body: '{"dataset":"x","numbers":"float","format":"csv"}',
        expected: { items: [ownOption('format', 'csv'), ownOption('numbers', 'float')] },
      }),
      bodyCase(at, 'all faults at once, in the order of the specification', {
        body: '{"format":1,"streams":["x","y"],"day":"x","series":1,"ticker":2,"event":3}',
        expected: {
          items: [
            { ...words.noText, loc: ['body', 'event'], input: 3 },
            { ...words.noText, loc: ['body', 'ticker'], input: 2 },
            { ...words.noText, loc: ['body', 'series'], input: 1 },
            { ...words.noDay('input is too short'), loc: ['body', 'day'], input: 'x' },
            { ...streams, loc: ['body', 'streams', 0], input: 'x' },
            { ...streams, loc: ['body', 'streams', 1], input: 'y' },
            { ...formats, loc: ['body', 'format'], input: 1 },
          ],
        },
      }),
    ],
  },
  {
    method: 'GET',
    path: '/exports/{export_id}',
    good: '/exports/{export_id}',
    deadlineMs: 10_000,
    id: { path: '/exports/{}', known: '{export_id}', absence: 'export_not_found' },
  },
  {
    method: 'DELETE',
    path: '/exports/{export_id}',
    good: '/exports/{export_id}',
    deadlineMs: 10_000,
    id: { path: '/exports/{}', method: 'DELETE', absence: 'export_not_found' },
    cases: [
      {
        name: 'a ready export',
        request: { method: 'DELETE', path: '/exports/{ready_export_id}' },
        expected: { status: 409, code: 'export_ended' },
      },
    ],
  },
  {
    method: 'GET',
    path: '/exports/{export_id}/events',
    good: '/exports/{ready_export_id}/events',
    deadlineMs: 10_000,
    id: { path: '/exports/{}/events', known: '{ready_export_id}', absence: 'export_not_found' },
  },
  {
    method: 'GET',
    path: '/exports/{export_id}/file',
    good: '/exports/{ready_export_id}/file',
    deadlineMs: 10_000,
    id: { path: '/exports/{}/file', known: '{ready_export_id}', absence: 'export_not_found' },
  },
  {
    method: 'GET',
    path: '/datasets/{dataset_id}',
    good: '/datasets/{dataset_id}',
    deadlineMs: 10_000,
    id: { path: '/datasets/{}', known: '{dataset_id}', absence: 'dataset_not_found' },
    query: [
      asOfAbsent('/datasets/{dataset_id}', 'dataset_not_found'),
      choice('format', {
        basePath: '/datasets/{dataset_id}',
        words: ['json', 'croissant', 'datacite'],
        listed: "'json', 'croissant' or 'datacite'",
        default: undefined,
      }),
    ],
  },
  // Here, since exports exist by now.
  {
    method: 'GET',
    path: '/exports',
    good: '/exports',
    deadlineMs: 10_000,
    query: [
      integer('limit', { from: 1, to: 100, default: 50, basePath: '/exports' }),
      cursor('cursor', { path: '/exports?limit=1', shows: count, all: 1 }),
      filter('status', { basePath: '/exports?limit=1', shows: count, known: ['ready', 1], all: 1 }),
      filter('group', { basePath: '/exports?limit=1', shows: count, known: ['', 1], all: 1 }),
      asOf('/exports', null),
    ],
  },
];
