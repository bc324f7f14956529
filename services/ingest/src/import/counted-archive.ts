import type { CatalogueFact } from '@almanac/contracts';
import type { Archive } from '../archive.js';
import type { OutcomeIds } from '../sources/known-outcomes.js';
import type { ImportOptions } from './import-file.js';

type Counted = Pick<ImportOptions, 'archive' | 'outcomes' | 'repeated' | 'repeatedTrades' | 'repeatedCandles'>;

/** Batches of one market and time are stored one after the other, so repeated rows are counted in that order. */
export const countedArchive = ({ archive, outcomes, repeated, repeatedTrades, repeatedCandles }: Counted): Archive => ({
  ...archive,
  recordCatalogue: (facts) => {
    outcomes.see(facts.flatMap(outcomesIn));
    return archive.recordCatalogue(facts);
  },
  storeObservations: async (batch) => {
    await archive.storeObservations(batch);
    const seen = batch.columns === 'candles' ? repeatedCandles : batch.columns === 'trades' ? repeatedTrades : repeated;
    seen.add(batch);
  },
});

const outcomesIn = (fact: CatalogueFact): readonly OutcomeIds[] =>
  fact.kind === 'market' && fact.feed_ids ? [{ ticker: fact.ticker, ...fact.feed_ids }] : [];
