import { Reply } from '@almanac/bus';
import { singleFlight } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';

/** Who waits for an answer; `signal` is made when it is first asked for. */
export interface Waiting {
  readonly signal: AbortSignal;
}

/** An answer as it is the first time, and as it is when it is given again. */
export interface Made {
  readonly first: object;
  readonly again: object;
}

export interface KeptAnswers {
  /** The answer kept under a key, else the one that is being made, else a new one. */
  get(key: string, waiting: Waiting, make: (signal: AbortSignal) => Promise<Made>): Reply | Promise<Reply>;
  /** Something may be different now: nothing that was begun before is given again. */
  forget(): void;
}

/**
 * Answers to equal questions. Those that are asked at once share one making, which ends when nobody waits for it any
 * more; one that was made is given again for `keptMs`, as ready bytes, unless something changed. All that is kept has at
 * most `bytesMax` bytes; what was used longest ago goes first.
 */
export const keptAnswers = ({ keptMs, bytesMax }: { keptMs: number; bytesMax: number }): KeptAnswers => {
  // lru-cache takes no bound of 0; of 1 it keeps nothing, as each answer is larger.
  const bound = { maxSize: Math.max(1, bytesMax), sizeCalculation: sizeOf };
  const kept = new LRUCache<string, Reply>({ ...bound, ttl: keptMs });
  const flights = singleFlight<{ result: Promise<Reply> }>();
  let changes = 0;

  const start = (key: string, make: (signal: AbortSignal) => Promise<Made>, signal: AbortSignal) => {
    const before = changes;
    const run = async (): Promise<Reply> => {
      const { first, again } = await make(signal);
      if (changes === before && !signal.aborted) kept.set(key, ofNow(again));
      return ofNow(first);
    };
    return { result: Promise.resolve().then(run) };
  };

  return {
    get: (key, waiting, make) =>
      kept.get(key) ?? flights.join(key, (signal) => start(key, make, signal), waiting.signal).call.result,
    forget: () => {
      changes += 1;
      kept.clear();
      flights.clear();
    },
  };
};

/** Statuses and figures change with the clock, so such an answer is kept by nobody else. */
const ofNow = (value: object): Reply => Reply.json(value, { cacheable: false });

/** With what the cache holds beside. */
const sizeOf = (reply: Reply, key: string): number => reply.bytes.length + 2 * key.length + 200;
