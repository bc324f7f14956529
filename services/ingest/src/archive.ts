import type { CatalogueFact, timeseriesRpc } from '@almanac/contracts';
import type { z } from 'zod';

/** What the catalogue made of one fact. */
export type RecordOutcome =
  { readonly outcome: 'created' | 'changed' | 'unchanged' } | { readonly outcome: 'refused'; readonly reason: string };

/** The rows of one market in a batch; times are integer microseconds. */
export interface BatchMarket {
  readonly ticker: string;
  readonly rows: number;
  readonly min_us: number;
  readonly max_us: number;
}

/** A time in which a market's recording missed something, as `timeseries.store` takes it. */
export type StoredGap = NonNullable<z.input<typeof timeseriesRpc.store.input>['gaps']>[number];

/** Observations, ready for ClickHouse: TabSeparated in the order of `observationColumns`, for `l2` with `bookColumns` behind. */
export interface ObservationBatch {
  readonly columns: 'top' | 'l2';
  readonly rows: number;
  readonly markets: readonly BatchMarket[];
  readonly body: Uint8Array;
}

/**
 * Where an import goes. All calls may be repeated with the same argument without a further effect, and answer only
 * when what they were given is stored. They reject with an `ArchiveError` when the archive did not take it.
 */
export interface Archive {
  /** Records facts in order; one outcome for each. At most 500. */
  recordCatalogue(facts: readonly CatalogueFact[]): Promise<readonly RecordOutcome[]>;
  storeObservations(batch: ObservationBatch): Promise<void>;
  /** At most 5,000. Of two with one ticker and start the later counts. */
  storeGaps(gaps: readonly StoredGap[]): Promise<void>;
  /** Resolves once everything that was recorded can be found by queries. */
  settled(): Promise<void>;
}

/** The archive of `--dry-run`: it takes everything and keeps nothing, so no outcome is known. */
export const dryRunArchive: Archive = {
  recordCatalogue: (facts) => Promise.resolve(facts.map(() => ({ outcome: 'unchanged' as const }))),
  storeObservations: () => Promise.resolve(),
  storeGaps: () => Promise.resolve(),
  settled: () => Promise.resolve(),
};
