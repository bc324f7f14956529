import type { Candle, CoverageGap, Snapshot } from '@almanac/client';
import { withoutNoise } from '../format/numbers.js';
import type { Window } from './window.js';

/** What the price chart draws at one time: the end of a candle, or one observation. */
export interface PricePoint {
  readonly ts: number;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly mid: number | null;
  readonly coin: number | null;
  /** Of a candle. */
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly volume: number | null;
  /** Seconds that the point stands for: 0 for one observation. */
  readonly span_s: number;
  /** Whose candle it is, if it is not of the archive's own recording. */
  readonly venue?: string;
  readonly openInterest?: number;
}

export const pointOfCandle = (candle: Candle): PricePoint => {
  const { start_ts, end_ts, yes_bid, yes_ask, coin_price, volume, source, venue, open_interest } = candle;
  const { open, high, low, close } = source === 'venue' ? venueRange(candle) : candle.mid;
  return {
    ts: start_ts,
    bid: yes_bid.close,
    ask: yes_ask.close,
    mid: close,
    coin: coin_price.close,
    open,
    high,
    low,
    volume: volume ?? null,
    span_s: end_ts - start_ts,
    ...(source === 'venue' && { venue: venue ?? 'venue' }),
    ...(typeof open_interest === 'number' && { openInterest: open_interest }),
  };
};

/** A venue states no middle. Its trades are drawn, otherwise what its bid and ask show of it. */
const venueRange = ({ price, yes_bid: bid, yes_ask: ask }: Candle): Candle['mid'] => {
  if (price.close !== null) return price;
  const [open, close] = [meanOf(bid.open, ask.open), meanOf(bid.close, ask.close)];
  const ends = [open, close].filter((value) => value !== null);
  return {
    open,
    close,
    high: ends.length === 0 ? null : Math.max(...ends),
    low: ends.length === 0 ? null : Math.min(...ends),
  };
};

/** The mean of two decimals without the noise of their sum. */
export const meanOf = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? null : withoutNoise((bid + ask) / 2);

export const pointOfSnapshot = ({ ts, yes_best_bid, yes_best_ask, coin_price }: Snapshot): PricePoint => {
  const bid = yes_best_bid ?? null;
  const ask = yes_best_ask ?? null;
  const mid = meanOf(bid, ask);
  return {
    ts: ts ?? 0,
    bid,
    ask,
    mid,
    coin: coin_price ?? null,
    open: mid,
    high: mid,
    low: mid,
    volume: null,
    span_s: 0,
  };
};

/** The detail of a window in the place of the coarse points that it covers. */
export const withDetail = (
  coarse: readonly PricePoint[],
  detail: readonly PricePoint[],
  { from, to }: Window,
): PricePoint[] =>
  [
    ...coarse.filter(({ ts }) => ts < from),
    ...detail.filter(({ ts, span_s }) => (ts >= from || ts + span_s > from) && ts < to),
    ...coarse.filter(({ ts }) => ts >= to),
  ].filter((point, at, all) => at === 0 || point.ts > (all[at - 1]?.ts ?? -Infinity));

/** A point without values. */
export const nothing = {
  bid: null,
  ask: null,
  mid: null,
  coin: null,
  open: null,
  high: null,
  low: null,
  volume: null,
  span_s: 0,
};

/**
 * A line must not cross a gap: what happened in it is not known. A point without values ends it where the gap begins. Gaps
 * of books alone do not matter to prices.
 */
export const withBreaks = (points: readonly PricePoint[], gaps: readonly CoverageGap[]): PricePoint[] => {
  const starts = gaps.filter(({ missing }) => missing === 'all').map(({ start_ts }) => start_ts);
  const all: PricePoint[] = [];
  let at = 0;
  for (const point of points) {
    for (; at < starts.length && (starts[at] ?? 0) < point.ts; at += 1) {
      const ts = starts[at] ?? 0;
      const before = all.at(-1);
      // Within a candle, the break comes after it.
      const breakTs = before === undefined ? ts : Math.max(ts, before.ts + 1e-6);
      if (breakTs < point.ts) all.push({ ...nothing, ts: breakTs });
    }
    all.push(point);
  }
  const rest = starts.slice(at).find((ts) => ts > (all.at(-1)?.ts ?? Infinity));
  return rest === undefined ? all : [...all, { ...nothing, ts: rest }];
};

/** Columns as uPlot reads them: times, then one array for each series. */
export const columnsOf = (
  points: readonly PricePoint[],
  names: readonly Exclude<keyof PricePoint, 'venue' | 'openInterest'>[],
): [number[], ...(number | null)[][]] => [
  points.map(({ ts }) => ts),
  ...names.map((name) => points.map((point) => point[name])),
];
