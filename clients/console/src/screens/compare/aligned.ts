import type { PricePoint } from '../../charts/price-points.js';
import { withoutNoise } from '../../format/numbers.js';

/** Prices of markets on one clock. */
export interface Aligned {
  readonly ts: readonly number[];
  /** One row for each market, as long as `ts`. Null where nothing is known of it. */
  readonly prices: readonly (readonly (number | null)[])[];
}

export const priceOf = ({ mid, bid, ask }: Pick<PricePoint, 'mid' | 'bid' | 'ask'>): number | null => mid ?? bid ?? ask;

/** What is known of a market ends with its last candle. */
const withEnd = (points: readonly PricePoint[]): readonly Pick<PricePoint, 'ts' | 'bid' | 'ask' | 'mid'>[] => {
  const last = points.at(-1);
  if (last === undefined || last.span_s === 0 || priceOf(last) === null) return points;
  return [...points, { ts: last.ts + last.span_s, bid: null, ask: null, mid: null }];
};

/** At each time at which one of the markets changes, the price that holds of each: that of its last point. */
export const alignedOf = (markets: readonly (readonly PricePoint[])[]): Aligned => {
  const all = markets.map(withEnd);
  const ts = [...new Set(all.flatMap((points) => points.map((point) => point.ts)))].toSorted(
    (one, other) => one - other,
  );
  const prices = all.map((points) => {
    let at = -1;
    return ts.map((time) => {
      while (at + 1 < points.length && (points[at + 1]?.ts ?? Infinity) <= time) at += 1;
      const point = points[at];
      return point === undefined ? null : priceOf(point);
    });
  });
  return { ts, prices };
};

/** Null if one of them is not known. */
export const differenceOf = (one: number | null | undefined, other: number | null | undefined): number | null =>
  one == null || other == null ? null : withoutNoise(one - other);

/** The first price minus the second. */
export const differencesOf = ({ ts, prices: [first = [], second = []] }: Aligned): (number | null)[] =>
  ts.map((_, at) => differenceOf(first[at], second[at]));
