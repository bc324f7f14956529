import { LRUCache } from 'lru-cache';
import type { CachedResponse } from './cached-response.js';

export interface ResponseCache {
  get(key: string): CachedResponse | undefined;
  set(key: string, response: CachedResponse): void;
  invalidate(topic: string): void;
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
export const createResponseCache = (bytesMax: number): ResponseCache => {
  const keysOf = new Map<string, Set<string>>();
  const responses = new LRUCache<string, CachedResponse>({
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
      const response = responses.get(key);
      if (response === undefined || response.freshUntilMs > Date.now()) return response;
      responses.delete(key);
      return undefined;
    },
    set: (key, response) => {
      responses.set(key, response);
      // One that is too large for the bound alone is not taken.
      if (!responses.has(key)) return;
      for (const topic of response.topics) {
        const keys = keysOf.get(topic) ?? new Set();
        keys.add(key);
        keysOf.set(topic, keys);
      }
    },
    invalidate: (topic) => {
      for (const key of keysOf.get(topic) ?? []) responses.delete(key);
    },
    clear: () => {
      responses.clear();
      keysOf.clear();
    },
    get bytes() {
      return responses.calculatedSize;
    },
    answerBytesMax: Math.floor(bytesMax / 8),
  };
};
