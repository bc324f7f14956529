import { indexBy } from '../../charts/index-at.js';
import type { PricePoint } from '../../charts/price-points.js';

/** The last point at or before a time. Undefined in a gap and before the first point. */
export const pointAt = (points: readonly PricePoint[], at: number): PricePoint | undefined => {
  const point = points[indexBy(points, ({ ts }) => ts, at)];
  return point === undefined || (point.bid === null && point.ask === null) ? undefined : point;
};
