import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, ObservationBatch } from '../archive.js';
import type { OutcomeIds } from '../sources/known-outcomes.js';
import type { ImportOptions } from './import-file.js';
import type { StoredKind } from '../intake/repeated-rows.js';

type Counted = Pick<ImportOptions, 'archive' | 'outcomes' | 'repeated' | 'joins'>;

/** Batches of one market and time are stored one after the other, so repeated rows are counted in that order. */
export const countedArchive = ({ archive, outcomes, repeated, joins }: Counted): Archive => ({
  ...archive,
  recordCatalogue: async (facts) => {
    outcomes.see(facts.flatMap(outcomesIn));
    const recorded = await archive.recordCatalogue(facts);
    await joins.seeFacts(facts);
    return recorded;
  },
  storeObservations: async (batch) => {
    await archive.storeObservations(batch);
    repeated[kindOf(batch)].add(batch);
    joins.seeBatch(batch);
  },
});

const kindOf = ({ columns }: ObservationBatch): StoredKind =>
  columns === 'trades' || columns === 'candles' || columns === 'coins' ? columns : 'observations';

const outcomesIn = (fact: CatalogueFact): readonly OutcomeIds[] =>
  fact.kind === 'market' && fact.feed_ids ? [{ ticker: fact.ticker, ...fact.feed_ids }] : [];
