import { asOf } from '../as-of.js';
import { nowS, sizes, ticksStartS } from '../archive.js';
import { words } from '../bodies.js';
import { cursor } from '../cursors.js';
import {
  boolean,
  choice,
  type Case,
  type Expected,
  filter,
  integer,
  type Parameter,
  type Shows,
  withQuery,
} from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const dayOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 10);
const [first, last] = [dayOf(ticksStartS - 86_400), dayOf(ticksStartS + 86_400)];
const days = `/quality?from=${first}&to=${last}`;
const ofSeries = `${days}&series=CF-TICKS`;
const count: Shows = (body) => body.count;
const refused = (code: string): Expected => ({ status: 400, code });

/** A filter that must be the only one: without it the request is refused. */
const target = (name: string, known: string): Parameter => {
  const parameter = filter(name, { basePath: days, shows: count, known: [known, 1], all: null });
  const cases = parameter.cases.map((one) =>
    'value' in one.expected && one.expected.value === null ? { ...one, expected: refused('invalid_input') } : one,
  );
  return { ...parameter, cases };
};

/** A calendar day. The other end of the range is the first or the last day of the rows. */
const day = (name: string, base: string, good: string): Parameter => {
  const one = (text: string, expected: Expected): Case => ({
    name: `${name}=${JSON.stringify(text)}`,
    request: { path: withQuery(base, [[name, text]]) },
    expected,
  });
  const bad = (text: string, error: string): Case =>
    one(text, { items: [{ ...words.noDay(error), loc: ['query', name], input: text }] });
  return {
    name,
    cases: [
      one(good, { status: 200, shows: (body) => body[name], value: good }),
      one('1969-12-31', refused('invalid_window')),
      one('2000-01-01', refused('invalid_window')),
      one('2100-01-01', refused('invalid_window')),
      bad('x', 'input is too short'),
      bad('2026-02-30', 'day value is outside expected range'),
      bad('2026-13-01', 'month value is outside expected range of 1-12'),
      bad('2026-02-01T', 'unexpected extra characters at the end of the input'),
    ],
    fault: { ...words.noDay('input is too short'), input: 'x' },
    published: { type: 'string', format: 'date' },
  };
};

const closing = dayOf(nowS - 3_600);
const many = `/quality?from=${closing}&to=${closing}&series=CF-BIG`;

export const qualityTable: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/quality',
    good: ofSeries,
    deadlineMs: 15_000,
    query: [
      target('series', 'CF-TICKS'),
      target('event', 'CF-TICKS-E'),
      target('category', 'cf-ticks'),
      target('venue', 'cf-venue'),
      day('from', `/quality?series=CF-TICKS&to=${last}`, first),
      day('to', `/quality?series=CF-TICKS&from=${first}`, last),
      choice('by', {
        basePath: ofSeries,
        words: ['market', 'day', 'hour'],
        listed: "'market', 'day' or 'hour'",
        default: 'market',
      }),
      choice('sort', { basePath: ofSeries, words: ['worst', 'time'], listed: "'worst' or 'time'", default: 'worst' }),
      { ...boolean('has_gaps', { basePath: ofSeries }), published: { type: 'boolean', default: undefined } },
      integer('limit', {
        from: 1,
        to: 200,
        default: 100,
        basePath: many,
        shows: count,
      }),
      cursor('cursor', { path: many, shows: count, all: 100 }),
      asOf('/quality?series=CF-TICKS', null),
      choice('format', {
        basePath: ofSeries,
        words: ['json', 'csv', 'ndjson', 'parquet', 'arrow'],
        listed: "'json', 'csv', 'ndjson', 'parquet' or 'arrow'",
        default: undefined,
      }),
    ],
    cases: [
      { name: 'two targets', request: { path: `${ofSeries}&event=CF-TICKS-E` }, expected: refused('invalid_input') },
      {
        name: 'from after to',
        request: { path: `/quality?series=CF-TICKS&from=${last}&to=${first}` },
        expected: refused('invalid_window'),
      },
      {
        name: 'the rows and trades of a market',
        request: { path: ofSeries },
        expected: {
          status: 200,
          shows: ({ markets = [] }) => markets.map(({ ticker, rows, trades }) => [ticker, rows, trades]),
          value: [['CF-TICKS-1', sizes.rows, sizes.rows]],
        },
      },
    ],
  },
];
