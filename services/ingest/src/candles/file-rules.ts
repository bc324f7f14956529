import { basename, dirname } from 'node:path';
import type { CandleFormat } from '../venues/candle-format.js';
import { dayS, type FileRules, isEndOfVenueDay, type StatedCandle, unitOf } from '../model/venue-candle.js';

/** What a file says about all of its candles, from its name and from the rows seen so far. */
export interface FileEvidence {
  readonly see: (stated: StatedCandle) => void;
  readonly unit: () => FileRules['unit'];
  readonly periodS: () => number | null;
}

/** The distances of days: a day of New York has 23 or 25 hours twice a year. */
const daysS: ReadonlySet<number> = new Set([dayS, dayS - 3_600, dayS + 3_600]);

/**
 * The unit of prices is that of the first price that shows one. The period of candles without one is the distance of neighbours:
 * the shortest distance between two ends of one market, if the venue has such a period, and if no other distance is as frequent.
 */
export const fileEvidence = (periods: readonly number[]): FileEvidence => {
  let unit: FileRules['unit'] = null;
  const lastEnds = new Map<string, number>();
  const distances = new Map<number, number>();
  const seePeriod = ({ ticker, endUs, periodS }: StatedCandle): void => {
    if (periodS !== null || endUs === null) return;
    const before = lastEnds.get(ticker ?? '');
    lastEnds.set(ticker ?? '', endUs);
    if (before === undefined || before === endUs) return;
    const distanceS = Math.abs(endUs - before) / 1_000_000;
    const isDay = daysS.has(distanceS) && [before, endUs].every(isEndOfVenueDay);
    const found = isDay ? dayS : distanceS;
    distances.set(found, (distances.get(found) ?? 0) + 1);
  };
  return {
    see: (stated) => {
      seePeriod(stated);
      if (unit !== null) return;
      for (const price of Object.values(stated.prices)) {
        if (price?.unit === 'plain') unit ??= unitOf(price.text);
      }
    },
    unit: () => unit,
    periodS: () => periodOf(distances, periods),
  };
};

const periodOf = (distances: ReadonlyMap<number, number>, periods: readonly number[]): number | null => {
  const shortest = Math.min(...distances.keys());
  const most = Math.max(...distances.values());
  return periods.includes(shortest) && distances.get(shortest) === most ? shortest : null;
};

/** The market that the name of a file states, otherwise that of its folder. A folder with an event's name states none. */
export const tickerOfPath = (format: CandleFormat, path: string): { ticker: string; of: 'file' | 'folder' } | null => {
  const ofFile = format.tickerIn(basename(path));
  if (ofFile !== null) return { ticker: ofFile, of: 'file' };
  const ofFolder = format.tickerIn(basename(dirname(path)));
  return ofFolder !== null && ofFolder.split('-').length > 2 ? { ticker: ofFolder, of: 'folder' } : null;
};
