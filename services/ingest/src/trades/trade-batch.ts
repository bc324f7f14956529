import type { ObservationBatch } from '../archive.js';
import { type BatchedMarket, escaped, nothing, rowBatch } from '../intake/observation-batch.js';
import { secondsText } from '../values/time.js';
import type { Trade } from '../model/trade.js';

export interface TradeBatchBuilder {
  /** Adds a trade. Returns true if the batch is full and must be taken first. */
  add(market: BatchedMarket, trade: Trade): boolean;
  take(): ObservationBatch | null;
}

/** Batches of trades. The key of a row is its id, and its values are all but the times, which depend on the source. */
export const tradeBatchBuilder = (): TradeBatchBuilder => {
  const batch = rowBatch('trades');
  return {
    add: (market, { id, venueUs, receivedUs, price, size, takerSide }) => {
      const times = `\t${timeText(venueUs)}\t${timeText(receivedUs)}`;
      const values = `\t${price}\t${size}\t${takerSide ?? nothing}\n`;
      return batch.add(market, {
        us: receivedUs ?? venueUs ?? 0,
        text: `${escaped(id)}${times}${values}`,
        valuesBytes: values.length,
        keyEndBytes: times.length + values.length,
      });
    },
    take: () => batch.take(),
  };
};

const timeText = (us: number | null): string => (us === null ? nothing : secondsText(us));
