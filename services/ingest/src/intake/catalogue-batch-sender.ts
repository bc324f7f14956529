import { type CatalogueFact, catalogueFact } from '@almanac/contracts';
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

/** Takes facts until it starts or is full. */
interface Call {
  readonly entries: Entry[];
  bytes: number;
  /** Set when it waits for its turn. `before` resolves when it starts. */
  turn?: { readonly before: Promise<void>; readonly done: Promise<void> };
}

/**
 * Calls run one at a time and in order, because two calls about one series would conflict. Facts that are flushed while a
 * call runs go into the next one together.
 */
export const catalogueBatchSender = (archive: Archive): CatalogueBatchSender => {
  let next: Call = { entries: [], bytes: 0 };
  let recorded: Promise<void> = Promise.resolve();

  const close = (call: Call): void => {
    if (next === call) next = { entries: [], bytes: 0 };
  };
  const record = async (call: Call): Promise<void> => {
    close(call);
    const outcomes = await archive.recordCatalogue(call.entries.map((entry) => entry.fact));
    for (const [index, entry] of call.entries.entries()) {
      const outcome = outcomes[index];
      if (outcome) await entry.settle(outcome);
    }
  };
  const enqueue = (call: Call): NonNullable<Call['turn']> => {
    if (call.turn !== undefined) return call.turn;
    const before = recorded;
    recorded = before.then(() => record(call));
    // Later promises of the chain reject too. This only prevents an unhandled rejection.
    recorded.catch(() => undefined);
    return (call.turn = { before, done: recorded });
  };

  return {
    add: async (fact, settle) => {
      const fault = faultOf(fact);
      if (fault !== null) return settle({ outcome: 'refused', reason: fault });
      const call = next;
      call.entries.push({ fact, settle });
      call.bytes += sizeOf(fact);
      if (call.entries.length < factsMax && call.bytes < bytesMax) return;
      close(call);
      await enqueue(call).before;
    },
    flush: () => (next.entries.length === 0 ? recorded : enqueue(next).done),
  };
};

/** Why the archive would refuse the whole batch that has this fact. Null if it would not. */
const faultOf = (fact: CatalogueFact): string | null => {
  if (sizeOf(fact) > bytesMax) return 'its texts are too long';
  const [issue] = catalogueFact.safeParse(fact).error?.issues ?? [];
  if (issue === undefined) return null;
  const field = issue.path.join('.');
  return issue.code === 'too_small' ? `no ${field}` : `${field} is not valid`;
};

const sizeOf = (fact: CatalogueFact): number =>
  Object.values(fact).reduce<number>((sum, value) => sum + 24 + sizeOfValue(value), 16);

/** The history of a market has its rules, which can be as long as the titles of many markets. */
const sizeOfValue = (value: unknown): number => {
  if (typeof value === 'string') return 3 * value.length;
  return Array.isArray(value) ? 3 * JSON.stringify(value).length : 24;
};
