import { boolean, choice, type Case, integer, number } from '../parameters.js';
import { cursor } from '../cursors.js';
import { ticksStartS } from '../archive.js';
import { asOf } from '../as-of.js';
import type { Endpoint } from './endpoint.js';

const snapshots = '/markets/CF-TICKS-1/snapshots';
const trades = '/markets/CF-TICKS-1/trades';
const hours6 = 21_600;
const last = 4_102_444_800;

/** 400 although each single value is valid. */
const noWindow = (name: string, query: string, path = snapshots): Case => ({
  name,
  request: { path: `${path}?${query}` },
  expected: { status: 400, code: 'invalid_window' },
});

const window = (name: string, query: string, value: readonly [number, number, boolean]): Case => ({
  name,
  request: { path: `${snapshots}?${query}` },
  expected: { status: 200, shows: (body) => [body['start_ts'], body['end_ts'], body['clamped']], value },
});

export const timeseriesTable: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/markets/{ticker}/preview',
    good: '/markets/CF-TICKS-1/preview',
    deadlineMs: 15_000,
    id: { path: '/markets/{}/preview', known: 'CF-TICKS-1', absence: 'market_not_found' },
    query: [asOf('/markets/CF-TICKS-1/preview', 'market_not_found')],
  },
  {
    method: 'GET',
    path: '/markets/{ticker}/snapshots',
    good: snapshots,
    deadlineMs: 15_000,
    id: { path: '/markets/{}/snapshots', known: 'CF-TICKS-1', absence: 'market_not_found' },
    query: [
      // Without the other bound the window is the specification's six hours, whose start shows the value.
      number('start_ts', {
        basePath: `${snapshots}?end_ts=${last}`,
        takes: [0, last - 1],
        shows: (body) => body['start_ts'],
        seen: (at) => at ?? last - hours6,
      }),
      number('end_ts', {
        basePath: `${snapshots}?start_ts=0`,
        takes: [0.000_001, hours6],
        shows: (body) => body['end_ts'],
        seen: (at) => Math.min(at ?? hours6, hours6),
      }),
      integer('limit', { from: 1, to: 5_000, default: 1_000, basePath: snapshots, shows: ({ count }) => count }),
      integer('step_ms', {
        from: 0,
        to: 60_000,
        default: 1_000,
        basePath: snapshots,
        shows: (body) => body['step_ms'],
      }),
      boolean('include_book', { basePath: snapshots, shows: (body) => body['include_book'] }),
      boolean('sizes', {
        basePath: `${snapshots}?start_ts=${ticksStartS}`,
        shows: ({ snapshots: rows = [] }) => rows.some((row) => 'yes_best_bid_size' in row),
      }),
      boolean('preview', { basePath: snapshots, shows: (body) => body['preview'] }),
      choice('numbers', {
        basePath: `${snapshots}?format=csv`,
        words: ['decimal', 'float'],
        listed: "'decimal' or 'float'",
        default: 'decimal',
      }),
      asOf(snapshots, 'market_not_found'),
      choice('format', {
        basePath: snapshots,
        words: ['json', 'csv', 'ndjson', 'parquet', 'arrow'],
        listed: "'json', 'csv', 'ndjson', 'parquet' or 'arrow'",
        default: undefined,
      }),
    ],
    cases: [
      window('six hours are not cut', `start_ts=0&end_ts=${hours6}`, [0, hours6, false]),
      window('more than six hours are cut', `start_ts=0&end_ts=${hours6 + 1}`, [0, hours6, true]),
      window('a preview of 15 minutes is not cut', 'preview=true&start_ts=0&end_ts=900', [0, 900, false]),
      window('a longer preview is cut', 'preview=true&start_ts=0&end_ts=901', [0, 900, true]),
      window('the last second of all', `start_ts=${last - 1}&end_ts=${last}`, [last - 1, last, false]),
      noWindow('start_ts at end_ts', 'start_ts=100&end_ts=100'),
      noWindow('start_ts above end_ts', 'start_ts=101&end_ts=100'),
      noWindow('start_ts below 0', 'start_ts=-0.000001'),
      noWindow('end_ts below 0', 'end_ts=-0.000001'),
      noWindow('end_ts at 0', 'end_ts=0'),
      noWindow('start_ts above the last', `start_ts=${last + 0.000_1}`),
      noWindow('end_ts above the last', `end_ts=${last + 0.000_1}`),
      noWindow('start_ts in milliseconds', 'start_ts=1771993365058'),
      noWindow('end_ts in milliseconds', 'end_ts=1771993365058'),
      noWindow('start_ts of 300 digits', `start_ts=${'9'.repeat(300)}`),
    ],
  },
  {
    method: 'GET',
    path: '/markets/{ticker}/trades',
    good: trades,
    deadlineMs: 15_000,
    id: { path: '/markets/{}/trades', known: 'CF-TICKS-1', absence: 'market_not_found' },
    query: [
      number('start_ts', {
        basePath: trades,
        takes: [0, last - 1],
        shows: (body) => body['start_ts'],
        seen: (at) => at ?? null,
      }),
      number('end_ts', {
        basePath: trades,
        takes: [0.000_001, last],
        shows: (body) => body['end_ts'],
        seen: (at) => at ?? null,
      }),
      integer('limit', { from: 1, to: 5_000, default: 1_000, basePath: trades, shows: ({ count }) => count }),
      choice('order', {
        basePath: trades,
        words: ['asc', 'desc'],
        listed: "'asc' or 'desc'",
        default: 'asc',
      }),
      cursor('cursor', { path: trades, shows: ({ count }) => count, all: 1_000 }),
      choice('numbers', {
        basePath: `${trades}?format=csv`,
        words: ['decimal', 'float'],
        listed: "'decimal' or 'float'",
        default: 'decimal',
      }),
      asOf(trades, 'market_not_found'),
      choice('format', {
        basePath: trades,
        words: ['json', 'csv', 'ndjson', 'parquet', 'arrow'],
        listed: "'json', 'csv', 'ndjson', 'parquet' or 'arrow'",
        default: undefined,
      }),
    ],
    cases: [
      noWindow('trades: start_ts at end_ts', 'start_ts=100&end_ts=100', trades),
      noWindow('trades: start_ts in milliseconds', 'start_ts=1771993365058', trades),
      noWindow('trades: end_ts above the last', `end_ts=${last + 0.000_1}`, trades),
    ],
  },
];
