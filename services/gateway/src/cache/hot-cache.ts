import { LRUCache } from 'lru-cache';
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

/** What an entry, its topics and the answer's parts take beside the bytes; rounded up. */
const overheadBytes = 2_048;

/** Of a text that is held: letters beyond Latin make V8 take two bytes for each. */
export const textBytes = (text: string): number => 2 * text.length;

/** Ready answers within a bound of memory; the one that was used longest ago goes first. */
export const createHotCache = (bytesMax: number): HotCache => {
  const keysOf = new Map<string, Set<string>>();
  const answers = new LRUCache<string, HotAnswer>({
    maxSize: bytesMax,
    sizeCalculation: ({ body, length }, key) =>
      overheadBytes + textBytes(key) + (typeof body === 'string' ? textBytes(body) : length),
    dispose: ({ topics }, key) => {
      for (const topic of topics) {
        const keys = keysOf.get(topic);
        keys?.delete(key);
        if (keys?.size === 0) keysOf.delete(topic);
      }
    },
  });

  return {
    get: (key) => {
      const answer = answers.get(key);
      if (answer === undefined || answer.freshUntilMs > Date.now()) return answer;
      answers.delete(key);
      return undefined;
    },
    keep: (key, answer) => {
      answers.set(key, answer);
      // One that is too large for the bound alone is not taken.
      if (!answers.has(key)) return;
      for (const topic of answer.topics) {
        const keys = keysOf.get(topic) ?? new Set();
        keys.add(key);
        keysOf.set(topic, keys);
      }
    },
    drop: (topic) => {
      for (const key of keysOf.get(topic) ?? []) answers.delete(key);
    },
    clear: () => {
      answers.clear();
      keysOf.clear();
    },
    get bytes() {
      return answers.calculatedSize;
    },
    answerBytesMax: Math.floor(bytesMax / 8),
  };
};
