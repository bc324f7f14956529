import type { Coverage, Market } from '@almanac/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useAsOf } from '../api/as-of.js';
import { archiveAt } from '../api/client.js';
import { type PricePoint, pointOfCandle, pointOfSnapshot } from '../charts/price-points.js';
import { lengthOf, outward, type Window } from '../charts/window.js';
import type { ShownCall } from './shown-call.js';

/** One candle for two pixels of a wide screen, and not more than what a narrow one can show. */
export const chartPoints = window.innerWidth < 700 ? 400 : 900;
/** Shorter windows show each stored observation. */
const rawSecondsMax = 900;
const rawRowsMax = 5_000;
const tradesMax = 2_000;

/** For calls whose gaps are not drawn, or come from `useCoverage`: without it, the client first reads the coverage. */
export const gapsElsewhere: Coverage = {
  first_print_ts: null,
  last_print_ts: null,
  has_l2: false,
  prints: 0,
  covered_s: null,
  covered_share: null,
  books_covered_s: null,
  gaps: [],
  gaps_n: 0,
  gap_s: 0,
  spans: [],
  spans_n: 0,
};

export const marketQuery = (ticker: string, asOf: number | undefined) =>
  queryOptions({
    queryKey: ['market', asOf, ticker],
    queryFn: ({ signal }) => archiveAt(asOf).markets.get(ticker, {}, { signal }),
  });

/** The whole life at `points`. */
export const overviewQuery = (ticker: string, asOf: number | undefined) =>
  queryOptions({
    queryKey: ['overview', asOf, ticker],
    queryFn: ({ signal }) => readCandles({ ticker, asOf, signal }),
  });

/** What is recorded. The server may have to prepare it from all rows of hours, so it must not delay the chart: `isDue`. */
export const useCoverage = (ticker: string, isDue: boolean) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['coverage', asOf, ticker],
    queryFn: ({ signal }) => archiveAt(asOf).markets.coverage(ticker, {}, { signal }),
    enabled: isDue,
  });
};

/** What one answer gives the chart. */
export interface ChartData {
  readonly points: readonly PricePoint[];
  readonly window: Window;
  /** Seconds of a candle. 0: each observation. */
  readonly period_s: number;
  readonly call: ShownCall;
}

/** What is in sight, in more detail than the overview. Undefined: the overview is enough. */
export const useDetail = (ticker: string, shown: Window | undefined) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['detail', asOf, ticker, shown],
    queryFn: ({ signal }) => readDetail({ ticker, asOf, signal }, shown ?? { from: 0, to: 0 }),
    enabled: shown !== undefined,
    placeholderData: keepPreviousData,
  });
};

/** Candles of a period around what is in sight. Undefined: no candles are drawn. */
export const useCandles = (ticker: string, window: Window | undefined, period: number) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['candles', asOf, ticker, window, period],
    queryFn: ({ signal }) => readPeriods({ ticker, asOf, signal }, window ?? { from: 0, to: 0 }, period),
    enabled: window !== undefined,
    placeholderData: keepPreviousData,
  });
};

interface Read {
  readonly ticker: string;
  readonly asOf: number | undefined;
  readonly signal: AbortSignal;
}

/** A venue has only its own periods. Where they do not make up this one, the server chooses. */
const readPeriods = async (read: Read, window: Window, period_s: number): Promise<ChartData> => {
  const chart = await readCandles(read, window, { period_s });
  if (chart.points.length > 0) return chart;
  return readCandles(read, window, { points: Math.max(10, Math.floor(lengthOf(window) / period_s)) });
};

type Fineness = { readonly points: number } | { readonly period_s: number };

const readCandles = async (
  { ticker, asOf, signal }: Read,
  shown?: Window,
  fineness: Fineness = { points: chartPoints },
): Promise<ChartData> => {
  const window = shown === undefined ? undefined : outward(shown);
  const bounds = window === undefined ? {} : { start_ts: window.from, end_ts: window.to };
  const params = { ...fineness, ...bounds };
  const options = { signal, coverage: gapsElsewhere };
  const page = await archiveAt(asOf).markets.candles(ticker, params, options).firstPage();
  return {
    points: page.candles.map(pointOfCandle),
    window: { from: page.start_ts, to: page.end_ts },
    period_s: page.period_s,
    call: callOf(ticker, 'candles', { ...params, as_of: asOf }),
  };
};

const readDetail = async (read: Read, shown: Window): Promise<ChartData> => {
  if (lengthOf(shown) > rawSecondsMax) return readCandles(read, shown);
  const window = outward(shown);
  const params = { start_ts: window.from, end_ts: window.to, step_ms: 0, limit: rawRowsMax };
  const options = { signal: read.signal, coverage: gapsElsewhere };
  const page = await archiveAt(read.asOf).markets.snapshots(read.ticker, params, options).firstPage();
  // A market can have thousands of observations in a second, or only candles of its venue.
  if (page.has_more || page.snapshots.length === 0) return readCandles(read, shown);
  const points = page.snapshots.map(pointOfSnapshot);
  return { points, window, period_s: 0, call: callOf(read.ticker, 'snapshots', { ...params, as_of: read.asOf }) };
};

export const callOf = (ticker: string, method: string, params: ShownCall['params']): ShownCall => ({
  resource: 'markets',
  method,
  args: [ticker],
  params,
  path: `/markets/${encodeURIComponent(ticker)}/${method}`,
});

/** The last price that is known, with the end of what it was observed in. */
export interface LastKnown {
  readonly point: PricePoint;
  readonly ts: number;
}

/** The last price, also where nothing is known since: a trailing gap hides only what came after it. */
export const lastKnownOf = ({ points }: ChartData, coverage: Coverage | undefined): LastKnown | undefined => {
  const point = points.findLast(({ bid, ask, mid }) => (bid ?? ask ?? mid) !== null);
  if (point === undefined) return undefined;
  const end = point.ts + point.span_s;
  const { last_print_ts: lastTs = null, gaps = [] } = coverage ?? {};
  const gap = gaps.find(({ start_ts, missing }) => missing === 'all' && start_ts >= point.ts && start_ts < end);
  // Neither the end of a candle nor the start of a gap is in it.
  const ends = [end - 1e-3, (gap?.start_ts ?? Infinity) - 1e-3];
  if (lastTs !== null && lastTs >= point.ts) ends.push(lastTs);
  return { point, ts: Math.max(point.ts, Math.min(...ends)) };
};

/** The trades in sight, unless they are too many to tell apart. */
export const useTrades = (ticker: string, shown: Window | undefined) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['trades', asOf, ticker, shown],
    queryFn: ({ signal }) => {
      const bounds = shown === undefined ? {} : { start_ts: shown.from, end_ts: shown.to };
      return archiveAt(asOf)
        .markets.trades(ticker, { ...bounds, limit: tradesMax }, { signal })
        .firstPage();
    },
    placeholderData: keepPreviousData,
  });
};

/** Everything there is to see: from open to settlement or to now, and what was recorded before and after. */
export const lifeOf = (
  { open_ts, close_ts, settlement_ts, status }: Pick<Market, 'open_ts' | 'close_ts' | 'settlement_ts' | 'status'>,
  { points, window }: ChartData,
  now: number,
): Window => {
  const last = points.at(-1);
  const starts = [open_ts, points[0]?.ts].filter((ts) => ts !== null && ts !== undefined);
  // A market that ended without a stated close shows what was recorded.
  const isOver = close_ts === null ? status !== 'live' : close_ts <= now;
  // A market that is open may have a gap since its last point.
  const ends = [
    isOver ? close_ts : now,
    isOver ? settlement_ts : null,
    last === undefined ? null : last.ts + last.span_s,
  ];
  const known = ends.filter((ts) => ts !== null && ts <= now + 1);
  const from = starts.length === 0 ? window.from : Math.min(...starts);
  return { from, to: Math.max(from, ...known.filter((ts) => ts !== null)) };
};

/** What is read of a market, by the first part of its key. */
const readsOfMarket = ['market', 'overview', 'coverage', 'detail', 'candles', 'trades', 'book', 'books'];

/** Whether a key is one of what is read of these markets, which new data changes. */
export const isOfMarket = ([name, , ticker]: readonly unknown[], tickers: ReadonlySet<string>): boolean =>
  typeof ticker === 'string' && tickers.has(ticker) && typeof name === 'string' && readsOfMarket.includes(name);
