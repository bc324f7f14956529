import type { HotAnswer } from './hot-answer.js';
import { createBounded } from './lru.js';

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
  const answers = createBounded<HotAnswer>({
    max: bytesMax,
    weigh: (key, { body, length }) =>
      overheadBytes + textBytes(key) + (typeof body === 'string' ? textBytes(body) : length),
    onGone: (key, { topics }) => {
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
      answers.delete(key);
      // Before the answer itself, which may be too much for the bound and go at once.
      for (const topic of answer.topics) {
        const keys = keysOf.get(topic) ?? new Set();
        keys.add(key);
        keysOf.set(topic, keys);
      }
      answers.set(key, answer);
    },
    drop: (topic) => {
      for (const key of keysOf.get(topic) ?? []) answers.delete(key);
    },
    clear: () => {
      answers.clear();
      keysOf.clear();
    },
    get bytes() {
      return answers.weight;
    },
    answerBytesMax: Math.floor(bytesMax / 8),
  };
};
