import type { Trade } from '@almanac/client';
import { withoutNoise } from '../format/numbers.js';
import { nothing, type PricePoint } from './price-points.js';

/** Contracts of trades by period, for charts of observations, which have no volume. */
export const volumesOf = (trades: readonly Pick<Trade, 'ts' | 'size'>[], period: number): PricePoint[] => {
  const sums = new Map<number, number>();
  for (const { ts, size } of trades) {
    const start = Math.floor(ts / period) * period;
    sums.set(start, (sums.get(start) ?? 0) + size);
  }
  return [...sums]
    .toSorted(([one], [other]) => one - other)
    .map(([ts, volume]) => ({ ...nothing, ts, volume: withoutNoise(volume), span_s: period }));
};
