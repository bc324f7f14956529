import { closes, seriesN, sizes, strayClose } from '../archive.js';
import { cursor } from '../cursors.js';
import { filter, integer, number, type Shown } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const count = ({ count: shown }: Shown) => shown;
const hits = ({ hits: found = [] }: Shown) => found.filter(({ kind }) => kind === 'market').length;
const seriesCount = ({ series_n }: Shown) => series_n;

/** How many of CF-DAYS' markets close in a window, both ends included; with the stray one of another series or not. */
const closing = (stray: 0 | 1) => {
  const all = stray === 1 ? [...closes, strayClose] : closes;
  return {
    from: (at: number | null) => all.filter((close) => at === null || close >= at).length,
    to: (at: number | null) => all.filter((close) => at === null || close <= at).length,
  };
};
const days = closing(0);
const daysAndStray = closing(1);
/** The bounds of a window are included: just below, at and just above a close. */
const [, , third = 0] = closes;
const takes = [-1, 0, third - 0.000_1, third, third + 0.000_1, 1e18, -1e300];
const anyOf = (n: number) => (n > 0 ? 1 : 0);

const numberIn = (id: string | undefined): string | number =>
  id === undefined ? 'past the end' : Number(id.slice(-3));
const within = (size: number) => (offset: number) => (offset < size ? offset : 'past the end');
const firstSeries = ({ series }: Shown) => numberIn((series as readonly { readonly id: string }[])[0]?.id);
const firstMarket = ({ markets = [] }: Shown) => numberIn(markets[0]?.ticker);
/** The ladder is the first event, and the one numbered 000 the second. */
const firstEvent = ({ events = [] }: Shown) => {
  const id = events[0]?.event_ticker;
  return id === 'CF-BIG-LADDER' ? 0 : id === undefined ? 'past the end' : Number(id.slice(-3)) + 1;
};
const offset = { from: 0, to: 10_000, default: 0 };

export const catalogTable: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/search',
    good: '/search',
    deadlineMs: 5_000,
    query: [
      filter('q', { ask: '/search?category=cf-days', shows: hits, known: ['CF-DAYS-5', 1], all: 6 }),
      filter('category', { ask: '/search?q=CF-DAYS', shows: hits, known: ['cf-days', 6], all: 9 }),
      filter('status', { ask: '/search?q=CF-DAYS', shows: hits, known: ['finalized', 3], all: 9 }),
      number('from_ts', { ask: '/search?q=CF-DAYS', shows: hits, seen: daysAndStray.from, takes }),
      number('to_ts', { ask: '/search?q=CF-DAYS', shows: hits, seen: daysAndStray.to, takes }),
      integer('offset', { ...offset, ask: '/search', shows: ({ offset: shown }) => shown }),
      integer('limit', {
        from: 1,
        to: 200,
        default: 40,
        ask: '/search?q=CF-BIG',
        shows: (b) => same(b['limit'], b.count),
      }),
    ],
  },
  { method: 'GET', path: '/categories', good: '/categories', deadlineMs: 5_000 },
  {
    method: 'GET',
    path: '/series',
    good: '/series',
    deadlineMs: 5_000,
    query: [
      filter('category', { ask: '/series', shows: seriesCount, known: ['cf-many', sizes.series], all: seriesN }),
      filter('q', { ask: '/series', shows: seriesCount, known: ['cf-many-0', 100], all: seriesN }),
      filter('status', { ask: '/series?category=cf-ticks', shows: seriesCount, known: ['finalized', 1], all: 2 }),
      number('from_ts', { ask: '/series?category=cf-days', shows: count, seen: (at) => anyOf(days.from(at)), takes }),
      number('to_ts', { ask: '/series?category=cf-days', shows: count, seen: (at) => anyOf(days.to(at)), takes }),
      integer('offset', { ...offset, ask: '/series?category=cf-many', shows: firstSeries, seen: within(sizes.series) }),
      integer('limit', { from: 1, to: 200, default: 80, ask: '/series?category=cf-many', shows: count }),
    ],
  },
  {
    method: 'GET',
    path: '/series/{series_id}',
    good: '/series/CF-DAYS',
    deadlineMs: 5_000,
    id: { path: '/series/{}', known: 'CF-TICKS', absence: 'series_not_found' },
    query: [
      filter('status', { ask: '/series/CF-DAYS', shows: count, known: ['finalized', 3], all: 8 }),
      filter('q', { ask: '/series/CF-DAYS', shows: count, known: ['CF-DAYS-7', 1], all: 8 }),
      number('from_ts', { ask: '/series/CF-DAYS', shows: count, seen: days.from, takes }),
      number('to_ts', { ask: '/series/CF-DAYS', shows: count, seen: days.to, takes }),
      integer('offset', { ...offset, ask: '/series/CF-BIG', shows: firstMarket, seen: within(sizes.markets) }),
      integer('event_offset', { ...offset, ask: '/series/CF-BIG', shows: firstEvent, seen: within(sizes.events) }),
      integer('limit', {
        from: 1,
        to: 200,
        default: 80,
        ask: '/series/CF-BIG',
        shows: ({ count: shown, events = [] }) => same(shown, events.length),
      }),
    ],
  },
  {
    method: 'GET',
    path: '/events/{event_id}',
    good: '/events/CF-TICKS-E',
    deadlineMs: 5_000,
    id: { path: '/events/{}', known: 'CF-TICKS-E', absence: 'event_not_found' },
    query: [
      integer('limit', { from: 1, to: 400, default: 200, ask: '/events/CF-BIG-LADDER', shows: count }),
      cursor('cursor', { ask: '/events/CF-BIG-LADDER', shows: count, all: 200 }),
    ],
  },
  {
    method: 'GET',
    path: '/markets',
    good: '/markets',
    deadlineMs: 5_000,
    query: [
      filter('series', { ask: '/markets?q=CF-DAYS', shows: count, known: ['CF-DAYS', 8], all: 9 }),
      filter('status', { ask: '/markets?q=CF-DAYS', shows: count, known: ['finalized', 3], all: 9 }),
      filter('event', { ask: '/markets?q=CF-DAYS', shows: count, known: ['CF-DAYS-E0', 4], all: 9 }),
      filter('q', { ask: '/markets?series=CF-DAYS&days=7', shows: count, known: ['CF-DAYS-7', 1], all: 8 }),
      filter('category', { ask: '/markets?q=CF-DAYS', shows: count, known: ['cf-late', 2], all: 9 }),
      integer('limit', { from: 1, to: 200, default: 50, ask: '/markets?event=CF-BIG-LADDER', shows: count }),
      integer('days', { from: 1, to: 7, default: 1, ask: '/markets?series=CF-DAYS', shows: count, seen: (n) => n + 1 }),
      number('from_ts', { ask: '/markets?q=CF-DAYS', shows: count, seen: daysAndStray.from, takes }),
      number('to_ts', { ask: '/markets?q=CF-DAYS', shows: count, seen: daysAndStray.to, takes }),
      cursor('cursor', { ask: '/markets?q=CF-DAYS', shows: count, all: 9 }),
    ],
  },
  {
    method: 'GET',
    path: '/markets/{ticker}',
    good: '/markets/CF-TICKS-1',
    deadlineMs: 5_000,
    id: { path: '/markets/{}', known: 'CF-TICKS-1', absence: 'market_not_found' },
  },
];

/** The value that two places show; both, where they differ. */
function same(one: unknown, other: unknown): unknown {
  return one === other ? one : [one, other];
}
