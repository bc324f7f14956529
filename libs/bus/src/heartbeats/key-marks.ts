import type { Bus } from '../bus.js';
import { markedStream, type MarkedStream } from '../streams/marked-stream.js';
import { heartbeatStreamsOf } from '../names.js';

/**
 * Up to which event of EVT_KEYS revocations were answered, in a cluster. Each of its servers has a stream with a mark of its
 * own. A revocation is answered when a majority of the servers has its mark. So any majority that answers later has it too,
 * whatever server is lost meanwhile, and nobody waits for the election of a leader (docs/decisions/117-evidence-for-caches.md).
 */
export interface KeyMarks {
  /** Asks each server once. */
  confirm(timeoutMs: number): Confirmation;
  /**
   * When the latest question that a majority has answered was asked, by `performance.now()`. Asks again if that is longer ago.
   * Throws if no majority answers.
   */
  majorityWithin(ageMs: number, timeoutMs: number): Promise<number>;
  /** Resolves when a majority has this mark or a later one. Throws after the time. */
  mark(seq: number, timeoutMs: number): Promise<void>;
  /**
   * Gives servers that have had no mark for a while (`emptyMs`) this one. A server has none at first, and after its restart. The
   * position must have every answered revocation: the mark of a majority, or else the position at the leader of EVT_KEYS.
   */
  begin(seq: number, timeoutMs: number): Promise<void>;
}

export interface Confirmation {
  /** Resolves when a majority of the servers has answered. Throws if it does not. */
  readonly majority: Promise<void>;
  /** The latest mark of a majority that has marks. Throws if there is none. */
  readonly mark: Promise<number>;
}

/**
 * Marks that one call stored are within this time of each other. A server that lost its memory gets a mark only after more time
 * (`emptyMs`), so none is counted that its server has lost.
 */
const togetherMs = 400;
const emptyMs = 600;

export const keyMarks = (bus: Bus): KeyMarks => {
  const streams = heartbeatStreamsOf(bus.replicas).map((stream) => markedStream(bus, stream));
  const majority = Math.floor(streams.length / 2) + 1;
  let requestedAt = -Infinity;
  const confirm = (timeoutMs: number): Confirmation => {
    const beganAt = performance.now();
    const answers = streams.map((stream) => stream.confirm(timeoutMs));
    const marks = answers.map(
      async (answer) => (await answer) ?? Promise.reject(new Error('a server has no mark yet')),
    );
    const confirmation = {
      majority: firstOf(answers, majority).then(() => void (requestedAt = Math.max(requestedAt, beganAt))),
      mark: firstOf(marks, majority).then((seqs) => Math.max(...seqs)),
    };
    // Not everybody waits for both.
    for (const promise of Object.values(confirmation)) promise.catch(() => undefined);
    return confirmation;
  };
  return {
    confirm,
    majorityWithin: async (ageMs, timeoutMs) => {
      if (performance.now() - requestedAt > ageMs) await confirm(timeoutMs).majority;
      return requestedAt;
    },
    mark: (seq, timeoutMs) => markMajority(streams, { seq, majority, timeoutMs }),
    begin: async (seq, timeoutMs) => {
      const empty = streams.filter((stream) => stream.emptyForMs() >= emptyMs);
      await Promise.all(empty.map((stream) => stream.mark(seq, timeoutMs)));
    },
  };
};

/** The first results. Throws as soon as so many cannot succeed. */
const firstOf = <T>(promises: readonly Promise<T>[], count: number): Promise<T[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<T[]>();
  const results: T[] = [];
  let failed = 0;
  for (const one of promises)
    one.then(
      (result) => {
        results.push(result);
        if (results.length === count) resolve(results);
      },
      (error: unknown) => {
        failed += 1;
        if (failed > promises.length - count) reject(error);
      },
    );
  return promise;
};

interface Marking {
  readonly seq: number;
  readonly majority: number;
  readonly timeoutMs: number;
}

const markMajority = async (streams: readonly MarkedStream[], { seq, majority, timeoutMs }: Marking): Promise<void> => {
  for (const deadline = performance.now() + timeoutMs; ;) {
    const leftMs = deadline - performance.now();
    const beganAt = performance.now();
    await firstOf(
      streams.map((stream) => stream.mark(seq, leftMs)),
      majority,
    );
    if (performance.now() - beganAt < togetherMs) return;
  }
};
