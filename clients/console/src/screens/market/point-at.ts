import type { PricePoint } from '../../charts/price-points.js';

/** The last point at or before a time, by halving. Undefined in a gap and before the first point. */
export const pointAt = (points: readonly PricePoint[], ts: number): PricePoint | undefined => {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // The cursor of the keyboard is exactly at a point.
    if ((points[middle]?.ts ?? Infinity) <= ts + 1e-6) low = middle + 1;
    else high = middle;
  }
  const point = points[low - 1];
  return point === undefined || (point.bid === null && point.ask === null) ? undefined : point;
};
