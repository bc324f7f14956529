import { asOf } from '../as-of.js';
import { closes, seriesN, sizes, outlierClose } from '../archive.js';
import { cursor } from '../cursors.js';
import { boolean, type Case, filter, integer, number, type Shown } from '../parameters.js';
import type { Endpoint } from './endpoint.js';

const count = ({ count: shown }: Shown) => shown;
const tickers = ({ markets = [] }: Shown) => markets.map(({ ticker }) => ticker);
const hits = ({ hits: found = [] }: Shown) => found.filter(({ kind }) => kind === 'market').length;
const seriesCount = ({ series_n }: Shown) => series_n;

/**
 * The number of CF-DAYS' markets that close in an inclusive window, with or without the stray one of another series.
 */
const closing = (outlierCount: 0 | 1) => {
  const all = outlierCount === 1 ? [...closes, outlierClose] : closes;
  return {
    from: (at: number | null) => all.filter((close) => at === null || close >= at).length,
    to: (at: number | null) => all.filter((close) => at === null || close <= at).length,
  };
};
const days = closing(0);
const daysAndOutlier = closing(1);
/** The bounds of a window are inclusive: tests just below, at and just above a close. */
const [, , third = 0] = closes;
const takes = [-1, 0, third - 0.000_1, third, third + 0.000_1, 1e18, -1e300];
/** The API's largest time. */
const latestS = 4_102_444_800;
const anyOf = (n: number) => (n > 0 ? 1 : 0);

const numberIn = (id: string | undefined): string | number =>
  id === undefined ? 'past the end' : Number(id.slice(-3));
const within = (size: number) => (offset: number) => (offset < size ? offset : 'past the end');
const firstSeries = ({ series }: Shown) => numberIn((series as readonly { readonly id: string }[])[0]?.id);
const firstMarket = ({ markets = [] }: Shown) => numberIn(markets[0]?.ticker);
/** The ladder is the first event, and number 000 the second. */
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
      filter('q', {
        longest: 10_000,
        basePath: '/search?category=cf-days',
        shows: hits,
        known: ['CF-DAYS-5', 1],
        all: 6,
      }),
      filter('category', { basePath: '/search?q=CF-DAYS', shows: hits, known: ['cf-days', 6], all: 9 }),
      filter('status', { basePath: '/search?q=CF-DAYS', shows: hits, known: ['finalized', 3], all: 9 }),
      number('from_ts', { basePath: '/search?q=CF-DAYS', shows: hits, seen: daysAndOutlier.from, takes }),
      number('to_ts', { basePath: '/search?q=CF-DAYS', shows: hits, seen: daysAndOutlier.to, takes }),
      integer('offset', { ...offset, basePath: '/search', shows: ({ offset: shown }) => shown }),
      integer('limit', {
        from: 1,
        to: 200,
        default: 40,
        basePath: '/search?q=CF-BIG',
        shows: (b) => same(b['limit'], b.count),
      }),
      asOf('/search?q=CF-TICKS', null),
    ],
  },
  {
    method: 'GET',
    path: '/categories',
    good: '/categories',
    deadlineMs: 5_000,
    query: [asOf('/categories', null)],
  },
  {
    method: 'GET',
    path: '/series',
    good: '/series',
    deadlineMs: 5_000,
    query: [
      filter('category', { basePath: '/series', shows: seriesCount, known: ['cf-many', sizes.series], all: seriesN }),
      filter('q', {
        longest: 10_000,
        basePath: '/series',
        shows: seriesCount,
        known: ['cf-many-0', 100],
        all: seriesN,
      }),
      filter('status', { basePath: '/series?category=cf-ticks', shows: seriesCount, known: ['finalized', 1], all: 2 }),
      number('from_ts', {
        basePath: '/series?category=cf-days',
        shows: count,
        seen: (at) => anyOf(days.from(at)),
        takes,
      }),
      number('to_ts', { basePath: '/series?category=cf-days', shows: count, seen: (at) => anyOf(days.to(at)), takes }),
      integer('offset', {
        ...offset,
        basePath: '/series?category=cf-many',
        shows: firstSeries,
        seen: within(sizes.series),
      }),
      integer('limit', { from: 1, to: 200, default: 80, basePath: '/series?category=cf-many', shows: count }),
      asOf('/series', null),
    ],
  },
  {
    method: 'GET',
    path: '/series/{series_id}',
    good: '/series/CF-DAYS',
    deadlineMs: 5_000,
    id: { path: '/series/{}', known: 'CF-TICKS', absence: 'series_not_found' },
    query: [
      filter('status', { basePath: '/series/CF-DAYS', shows: count, known: ['finalized', 3], all: 8 }),
      filter('q', { longest: 10_000, basePath: '/series/CF-DAYS', shows: count, known: ['CF-DAYS-7', 1], all: 8 }),
      number('from_ts', { basePath: '/series/CF-DAYS', shows: count, seen: days.from, takes }),
      number('to_ts', { basePath: '/series/CF-DAYS', shows: count, seen: days.to, takes }),
      integer('offset', { ...offset, basePath: '/series/CF-BIG', shows: firstMarket, seen: within(sizes.markets) }),
      integer('event_offset', { ...offset, basePath: '/series/CF-BIG', shows: firstEvent, seen: within(sizes.events) }),
      integer('limit', {
        from: 1,
        to: 200,
        default: 80,
        basePath: '/series/CF-BIG',
        shows: ({ count: shown, events = [] }) => same(shown, events.length),
      }),
      asOf('/series/CF-TICKS', 'series_not_found'),
    ],
  },
  {
    method: 'GET',
    path: '/events/{event_id}',
    good: '/events/CF-TICKS-E',
    deadlineMs: 5_000,
    id: { path: '/events/{}', known: 'CF-TICKS-E', absence: 'event_not_found' },
    query: [
      integer('limit', { from: 1, to: 400, default: 200, basePath: '/events/CF-BIG-LADDER', shows: count }),
      cursor('cursor', { path: '/events/CF-BIG-LADDER', shows: count, all: 200 }),
      asOf('/events/CF-TICKS-E', 'event_not_found'),
    ],
  },
  {
    method: 'GET',
    path: '/markets',
    good: '/markets',
    deadlineMs: 5_000,
    query: [
      filter('series', { basePath: '/markets?q=CF-DAYS', shows: count, known: ['CF-DAYS', 8], all: 9 }),
      filter('status', { basePath: '/markets?q=CF-DAYS', shows: count, known: ['finalized', 3], all: 9 }),
      filter('event', { basePath: '/markets?q=CF-DAYS', shows: count, known: ['CF-DAYS-E0', 4], all: 9 }),
      filter('q', {
        longest: 10_000,
        basePath: '/markets?series=CF-DAYS&days=7',
        shows: count,
        known: ['CF-DAYS-7', 1],
        all: 8,
      }),
      filter('category', { basePath: '/markets?q=CF-DAYS', shows: count, known: ['cf-late', 2], all: 9 }),
      integer('limit', { from: 1, to: 200, default: 50, basePath: '/markets?event=CF-BIG-LADDER', shows: count }),
      integer('days', {
        from: 1,
        to: 7,
        default: 1,
        basePath: '/markets?series=CF-DAYS',
        shows: count,
        seen: (n) => n + 1,
      }),
      number('from_ts', { basePath: '/markets?q=CF-DAYS', shows: count, seen: daysAndOutlier.from, takes }),
      number('to_ts', { basePath: '/markets?q=CF-DAYS', shows: count, seen: daysAndOutlier.to, takes }),
      cursor('cursor', { path: '/markets?q=CF-DAYS', shows: count, all: 9 }),
      number('changed_since_ts', {
        basePath: '/markets?q=CF-DAYS',
        shows: count,
        seen: (since) => (since === latestS ? 0 : 9),
        takes: [0, latestS],
      }),
      asOf('/markets?q=CF-TICKS', null),
      {
        ...boolean('has_gaps', { basePath: '/markets?series=CF-TICKS&from_ts=0' }),
        published: { type: 'boolean', default: undefined },
      },
      number('covered_min', { basePath: '/markets?q=CF-DAYS', from: 0, to: 1, takes: [0.5] }),
    ],
    cases: [
      ...['-0.000001', '4102444801', '1771993365058', '-1e300'].map((value) => ({
        name: `changed_since_ts=${value}`,
        request: { path: `/markets?changed_since_ts=${value}` },
        expected: { status: 400, code: 'invalid_window' },
      })),
      {
        name: 'as_of with changed_since_ts',
        request: { path: '/markets?as_of=1771993500&changed_since_ts=0' },
        expected: { status: 400, code: 'invalid_input' },
      },
      {
        name: 'has_gaps with changed_since_ts',
        request: { path: '/markets?has_gaps=true&changed_since_ts=0' },
        expected: { status: 400, code: 'invalid_input' },
      },
      ...Object.entries({ 'has_gaps=true': ['CF-TICKS-1'], 'has_gaps=false': [], 'covered_min=0': [] }).map(
        ([text, value]): Case => ({
          name: `the market without a recorded span with ${text}`,
          request: { path: `/markets?series=CF-TICKS&from_ts=0&${text}` },
          expected: { status: 200, shows: tickers, value },
        }),
      ),
    ],
  },
  {
    method: 'GET',
    path: '/markets/{ticker}',
    good: '/markets/CF-TICKS-1',
    deadlineMs: 5_000,
    id: { path: '/markets/{}', known: 'CF-TICKS-1', absence: 'market_not_found' },
    query: [asOf('/markets/CF-TICKS-1', 'market_not_found')],
  },
];

/** The common value of two fields, or both when they differ. */
function same(one: unknown, other: unknown): unknown {
  return one === other ? one : [one, other];
}
