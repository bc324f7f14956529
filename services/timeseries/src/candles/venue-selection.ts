import type { MarketContext } from '../market-context.js';
import type { CandleWindow } from './candle-window.js';
import type { VenueRange } from './venue-ranges.js';

interface Bounds {
  readonly startUs: number | null;
  readonly endUs: number | null;
}

const overlaps = ({ startUs, endUs }: VenueRange, bounds: Bounds): boolean =>
  (bounds.endUs === null || startUs < bounds.endUs) && (bounds.startUs === null || endUs > bounds.startUs);

/** Whether a market has observations or trades of its own between the bounds, as far as their first and last times show. */
const hasOwn = ({ minUs, times }: MarketContext, { startUs, endUs }: Bounds): boolean =>
  minUs !== null && (endUs === null || minUs < endUs) && (startUs === null || (times.lastUs ?? minUs) >= startUs);

/**
 * The period that an answer with nothing but venue candles is made of: their shortest one between the bounds. Null if there are none, or
 * if one of the markets has data of its own there, which decides the period alone.
 */
export const venuePeriodOf = (
  markets: readonly MarketContext[],
  ranges: readonly (readonly VenueRange[])[],
  bounds: Bounds,
): number | null => {
  if (markets.some((market) => hasOwn(market, bounds))) return null;
  const periods = ranges.flat().flatMap((range) => (overlaps(range, bounds) ? [range.periodS] : []));
  return periods.length === 0 ? null : Math.min(...periods);
};

/** Whether candles of a range make up whole candles of a period. */
const isUsable = ({ periodS, isAligned }: VenueRange, periodUs: number): boolean => {
  const ownUs = periodS * 1_000_000;
  return isAligned ? periodUs % ownUs === 0 : periodUs === ownUs;
};

/** The periods, in seconds, of which candles of a period can be made. */
export const usablePeriods = (ranges: readonly VenueRange[], periodUs: number): readonly number[] => [
  ...new Set(ranges.flatMap(({ periodS }) => (periodUs % (periodS * 1_000_000) === 0 ? [periodS] : []))),
];

/** What the periods of the venue are, if a market has venue candles in the window and none of the period. Otherwise null. */
export const venueNotice = (
  markets: readonly MarketContext[],
  ranges: readonly (readonly VenueRange[])[],
  { startUs, endUs, periodUs }: CandleWindow,
): string | null => {
  const unused = markets.flatMap(({ minUs, times }, at) => {
    const found = (ranges[at] ?? []).filter((range) => overlaps(range, { startUs, endUs }));
    if (found.some((range) => isUsable(range, periodUs))) return [];
    return found.filter(
      (range) =>
        minUs === null ||
        Math.max(range.startUs, startUs) < minUs ||
        Math.min(range.endUs, endUs) - 1 > (times.lastUs ?? 0),
    );
  });
  const periods = [...new Set(unused.map(({ periodS }) => periodS))].toSorted((a, b) => a - b);
  if (periods.length === 0) return null;
  const named = periods.map(String).join(' and ');
  return `The venue's candles of this window have periods of ${named} seconds, which do not make up ${periodUs / 1_000_000}. Send period_s=${periods[0] ?? 0}.`;
};
