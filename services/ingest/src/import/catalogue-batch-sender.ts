import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, RecordOutcome } from '../archive.js';

const factsMax = 500;
/** Titles can be long: 500 facts could exceed the bus's limit of 1 MiB for a message. */
const bytesMax = 700_000;

export interface CatalogueBatchSender {
  /** Adds a fact. `settle` gets its outcome. Resolves at once unless a batch is full. */
  add(fact: CatalogueFact, settle: (outcome: RecordOutcome) => void | Promise<void>): Promise<void>;
  /** Sends the facts added so far. Resolves when all of them are recorded. */
  flush(): Promise<void>;
}

interface Entry {
  readonly fact: CatalogueFact;
  readonly settle: (outcome: RecordOutcome) => void | Promise<void>;
}

/** Calls run one at a time and in order, because two calls about one series would conflict. */
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
    // Later promises of the chain reject too. This only prevents an unhandled rejection.
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
