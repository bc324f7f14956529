import { Reply } from '@almanac/bus';
import type { Notice } from '@almanac/contracts';
import { singleFlight } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';

/** A caller that waits for an answer. `signal` is created when it is first read. */
export interface AnswerWaiter {
  readonly signal: AbortSignal;
}

/** An answer as it is sent first, and as it is sent from the cache. */
export interface CacheableAnswer<Value extends object = object> {
  readonly first: Value;
  readonly fromCache: Value;
  readonly notices?: readonly Notice[] | undefined;
  /** `as_of` of an answer about the past. */
  readonly asOf?: number | undefined;
}

export type AnswerCache = ReturnType<typeof answerCache>;

/**
 * Caches answers to equal queries. Concurrent callers share one computation, which is cancelled when no caller waits.
 * A computed answer is reused as encoded bytes for `ttlMs`, unless something changes. The cache holds at most
 * `bytesMax` bytes and drops the least recently used answer first.
 */
export const answerCache = ({ ttlMs, bytesMax }: { ttlMs: number; bytesMax: number }) => {
  // lru-cache accepts no limit of 0. With a limit of 1 it stores nothing, because every answer is larger.
  const bound = { maxSize: Math.max(1, bytesMax), sizeCalculation: sizeOf };
  const entries = new LRUCache<string, Reply>({ ...bound, ttl: ttlMs });
  const inFlight = singleFlight<{ result: Promise<Reply> }>();
  let changes = 0;

  const start = (key: string, compute: (signal: AbortSignal) => Promise<CacheableAnswer>, signal: AbortSignal) => {
    const before = changes;
    const run = async (): Promise<Reply> => {
      const { first, fromCache, ...meta } = await compute(signal);
      if (changes === before && !signal.aborted) entries.set(key, uncacheableReply(fromCache, meta));
      return uncacheableReply(first, meta);
    };
    return { result: Promise.resolve().then(run) };
  };

  return {
    /** Returns the cached answer of a key, else joins the computation in progress, else starts one. */
    get: <Value extends object>(
      key: string,
      waiting: AnswerWaiter,
      compute: (signal: AbortSignal) => Promise<CacheableAnswer<Value>>,
    ): Reply<Value> | Promise<Reply<Value>> =>
      entries.get(key) ?? inFlight.join(key, (signal) => start(key, compute, signal), waiting.signal).call.result,
    /** Something may have changed. Answers whose computation started earlier are not reused. */
    clear: () => {
      changes += 1;
      entries.clear();
      inFlight.clear();
    },
  };
};

/** Statuses and figures change with the clock, so no other cache may store such an answer. */
export const uncacheableReply = (value: object, { notices, asOf }: Pick<CacheableAnswer, 'notices' | 'asOf'>): Reply =>
  new Reply(Buffer.from(JSON.stringify(value)), {
    cacheable: false,
    ...(notices === undefined ? {} : { notices }),
    ...(asOf === undefined ? {} : { asOf }),
  });

/** Includes the overhead of a cache entry. */
const sizeOf = (reply: Reply, key: string): number => reply.bytes.length + 2 * key.length + 200;
