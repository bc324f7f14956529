import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, RecordOutcome } from '../archive.js';

const factsMax = 500;
/** A title may be long: with it 500 facts could pass the bus's 1 MiB message. */
const bytesMax = 700_000;

export interface CatalogueBatchSender {
  /** Takes a fact; `settle` hears what became of it. Resolves at once unless a batch is full. */
  add(fact: CatalogueFact, settle: (outcome: RecordOutcome) => void | Promise<void>): Promise<void>;
  /** Sends what was taken so far. The promise it gives resolves when all of it is recorded, and may be awaited later. */
  flush(): Promise<void>;
}

interface Entry {
  readonly fact: CatalogueFact;
  readonly settle: (outcome: RecordOutcome) => void | Promise<void>;
}

/** Facts go in order, one call after the other: two calls about one series would only conflict. */
export const catalogueBatchSender = (archive: Archive): CatalogueBatchSender => {
  let entries: Entry[] = [];
  let bytes = 0;
  let recorded: Promise<void> = Promise.resolve();

  const record = async (batch: readonly Entry[]): Promise<void> => {
    const outcomes = await archive.recordCatalogue(batch.map((entry) => entry.fact));
    for (const [index, entry] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome) await entry.settle(outcome);
    }
  };
  const flush = (): Promise<void> => {
    if (entries.length === 0) return recorded;
    const batch = entries;
    entries = [];
    bytes = 0;
    recorded = recorded.then(() => record(batch));
    // Whoever awaits a later promise of the chain hears of the failure; here it must only not count as unhandled.
    recorded.catch(() => undefined);
    return recorded;
  };

  return {
    add: async (fact, settle) => {
      entries.push({ fact, settle });
      bytes += sizeOf(fact);
      if (entries.length < factsMax && bytes < bytesMax) return;
      const before = recorded;
      void flush();
      await before;
    },
    flush,
  };
};

const sizeOf = (fact: CatalogueFact): number =>
  Object.values(fact).reduce<number>(
    (sum, value) => sum + 24 + (typeof value === 'string' ? 3 * value.length : 24),
    16,
  );
