import { Reply } from '@almanac/bus';
import { singleFlight } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';

/** Who waits for an answer; `signal` is made when it is first asked for. */
export interface AnswerWaiter {
  readonly signal: AbortSignal;
}

/** An answer as it is the first time, and as it is when it is given again. */
export interface CacheableAnswer {
  readonly first: object;
  readonly fromCache: object;
}

export interface AnswerCache {
  /** The answer kept under a key, else the one that is being made, else a new one. */
  get(
    key: string,
    waiting: AnswerWaiter,
    compute: (signal: AbortSignal) => Promise<CacheableAnswer>,
  ): Reply | Promise<Reply>;
  /** Something may be different now: nothing that was begun before is given again. */
  clear(): void;
}

/**
 * Answers to equal questions. Those that are asked at once share one making, which ends when nobody waits for it any
 * more; one that was made is given again for `ttlMs`, as ready bytes, unless something changed. All that is kept has at
 * most `bytesMax` bytes; what was used longest ago goes first.
 */
export const answerCache = ({ ttlMs, bytesMax }: { ttlMs: number; bytesMax: number }): AnswerCache => {
  // lru-cache takes no bound of 0; of 1 it keeps nothing, as each answer is larger.
  const bound = { maxSize: Math.max(1, bytesMax), sizeCalculation: sizeOf };
  const entries = new LRUCache<string, Reply>({ ...bound, ttl: ttlMs });
  const inFlight = singleFlight<{ result: Promise<Reply> }>();
  let changes = 0;

  const start = (key: string, compute: (signal: AbortSignal) => Promise<CacheableAnswer>, signal: AbortSignal) => {
    const before = changes;
    const run = async (): Promise<Reply> => {
      const { first, fromCache } = await compute(signal);
      if (changes === before && !signal.aborted) entries.set(key, uncacheableReply(fromCache));
      return uncacheableReply(first);
    };
    return { result: Promise.resolve().then(run) };
  };

  return {
    get: (key, waiting, compute) =>
      entries.get(key) ?? inFlight.join(key, (signal) => start(key, compute, signal), waiting.signal).call.result,
    clear: () => {
      changes += 1;
      entries.clear();
      inFlight.clear();
    },
  };
};

/** Statuses and figures change with the clock, so such an answer is kept by nobody else. */
const uncacheableReply = (value: object): Reply => Reply.json(value, { cacheable: false });

/** With what the cache holds beside. */
const sizeOf = (reply: Reply, key: string): number => reply.bytes.length + 2 * key.length + 200;
