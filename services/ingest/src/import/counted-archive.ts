import type { Archive } from '../archive.js';
import type { ImportOptions } from './import-file.js';

type Counted = Pick<ImportOptions, 'archive' | 'repeated' | 'repeatedTrades' | 'repeatedCandles'>;

/** Batches of one market and time are stored one after the other, so repeated rows are counted in that order. */
export const countedArchive = ({ archive, repeated, repeatedTrades, repeatedCandles }: Counted): Archive => ({
  ...archive,
  storeObservations: async (batch) => {
    await archive.storeObservations(batch);
    const seen = batch.columns === 'candles' ? repeatedCandles : batch.columns === 'trades' ? repeatedTrades : repeated;
    seen.add(batch);
  },
});
