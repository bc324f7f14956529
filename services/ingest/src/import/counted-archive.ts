import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, ObservationBatch } from '../archive.js';
import type { OutcomeIds } from '../sources/known-outcomes.js';
import type { ImportOptions } from './import-file.js';
import { addRows, type StoredKind } from '../intake/repeated-rows.js';
import type { FileReport } from '../intake/report.js';

type Counted = Pick<ImportOptions, 'archive' | 'outcomes' | 'repeated' | 'joins'>;
type Counts = Pick<FileReport, 'rowCounts' | 'tradeCounts' | 'hasStaged'>;

/** Batches of one market and time are stored one after the other, so repeated rows are counted in that order. */
export const countedArchive = ({ archive, outcomes, repeated, joins }: Counted, report: Counts): Archive => ({
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
  ...(archive.openStaging && {
    openStaging: async (kind) => {
      const staging = (await archive.openStaging?.(kind)) ?? 'cluster';
      if (typeof staging === 'string') return staging;
      return {
        ...staging,
        publish: async () => {
          await staging.publish();
          report.hasStaged = false;
          if (kind === 'trades') addRows(report.tradeCounts, repeated.trades.take());
          else addRows(report.rowCounts, repeated.observations.take());
        },
        store: async (batch) => {
          report.hasStaged = true;
          await staging.store(batch);
          repeated[kindOf(batch)].add(batch);
          joins.seeBatch(batch);
        },
      };
    },
  }),
});

const kindOf = ({ columns }: ObservationBatch): StoredKind =>
  columns === 'trades' || columns === 'candles' || columns === 'coins' ? columns : 'observations';

const outcomesIn = (fact: CatalogueFact): readonly OutcomeIds[] =>
  fact.kind === 'market' && fact.feed_ids ? [{ ticker: fact.ticker, ...fact.feed_ids }] : [];
