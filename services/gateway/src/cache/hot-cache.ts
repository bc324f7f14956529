import type { HotAnswer } from './hot-answer.js';

export interface HotCache {
  get(key: string): HotAnswer | undefined;
  keep(key: string, answer: HotAnswer): void;
  drop(topic: string): void;
  clear(): void;
  /** Bytes held, with an estimate of what is around them. */
  readonly bytes: number;
  /** The longest answer that is kept. */
  readonly answerBytesMax: number;
}

/** What a Map's entry, its key and the answer's parts take beside the bytes; rounded up. */
const overheadBytes = 2_048;

/** Ready answers within a bound of memory; the one that was used longest ago goes first. */
export const createHotCache = (bytesMax: number): HotCache => {
  const answers = new Map<string, HotAnswer>();
  const keysOf = new Map<string, Set<string>>();
  let bytes = 0;

  const remove = (key: string): void => {
    const answer = answers.get(key);
    if (answer === undefined) return;
    answers.delete(key);
    bytes -= answer.length + overheadBytes;
    for (const topic of answer.topics) {
      const keys = keysOf.get(topic);
      keys?.delete(key);
      if (keys?.size === 0) keysOf.delete(topic);
    }
  };
  const makeRoom = (): void => {
    for (const oldest of answers.keys()) {
      if (bytes <= bytesMax) return;
      remove(oldest);
    }
  };

  return {
    get: (key) => {
      const answer = answers.get(key);
      if (answer === undefined) return undefined;
      if (answer.freshUntilMs <= Date.now()) {
        remove(key);
        return undefined;
      }
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    keep: (key, answer) => {
      remove(key);
      answers.set(key, answer);
      bytes += answer.length + overheadBytes;
      for (const topic of answer.topics) {
        const keys = keysOf.get(topic) ?? new Set();
        keys.add(key);
        keysOf.set(topic, keys);
      }
      makeRoom();
    },
    drop: (topic) => {
      for (const key of keysOf.get(topic) ?? []) remove(key);
    },
    clear: () => {
      answers.clear();
      keysOf.clear();
      bytes = 0;
    },
    get bytes() {
      return bytes;
    },
    answerBytesMax: Math.floor(bytesMax / 8),
  };
};
