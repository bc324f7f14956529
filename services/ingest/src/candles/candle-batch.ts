import { venueCandlePrices, venueCandleSizes } from '@almanac/contracts';
import type { ObservationBatch } from '../archive.js';
import { type BatchedMarket, escaped, nothing, rowBatch } from '../intake/observation-batch.js';
import { secondsText } from '../values/time.js';
import type { VenueCandle } from '../model/venue-candle.js';

export interface CandleBatchBuilder {
  /** Adds a candle. Returns true if the batch is full and must be taken first. */
  add(market: BatchedMarket, candle: VenueCandle): boolean;
  take(): ObservationBatch | null;
}

/** Batches of venue candles. A candle without a receipt is stated by the import (`statedUs`). */
export const candleBatchBuilder = (statedUs: number): CandleBatchBuilder => {
  const batch = rowBatch('candles');
  return {
    add: (market, { source, periodS, startUs, endUs, receivedUs, prices, sizes }) => {
      const key = `${escaped(source)}\t${periodS}\t${secondsText(startUs)}\t${secondsText(endUs)}`;
      const stated = `\t${secondsText(receivedUs ?? statedUs)}`;
      const cells = [...venueCandlePrices.map((name) => prices[name]), ...venueCandleSizes.map((name) => sizes[name])];
      const values = `${cells.map((cell) => `\t${cell ?? nothing}`).join('')}\n`;
      return batch.add(market, {
        us: endUs,
        text: `${key}${stated}${values}`,
        valuesBytes: values.length,
        keyEndBytes: stated.length + values.length,
      });
    },
    take: () => batch.take(),
  };
};
