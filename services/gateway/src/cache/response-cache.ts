import { LRUCache } from 'lru-cache';
import type { CachedResponse } from './cached-response.js';

export type ResponseCache = ReturnType<typeof createResponseCache>;

/** Overhead of an entry, its topics and its objects. Rounded up. */
const overheadBytes = 2_048;

/** V8 needs two bytes per character for text with non-Latin characters. */
export const textBytes = (text: string): number => 2 * text.length;

/** Complete responses within a memory limit. The least recently used one is dropped first. */
export const createResponseCache = (bytesMax: number) => {
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
    get: (key: string): CachedResponse | undefined => {
      const response = responses.get(key);
      if (response === undefined || response.freshUntilMs > Date.now()) return response;
      responses.delete(key);
      return undefined;
    },
    set: (key: string, response: CachedResponse) => {
      responses.set(key, response);
      // The cache does not accept a response that exceeds the limit by itself.
      if (!responses.has(key)) return;
      for (const topic of response.topics) {
        const keys = keysOf.get(topic) ?? new Set();
        keys.add(key);
        keysOf.set(topic, keys);
      }
    },
    invalidate: (topic: string) => {
      for (const key of keysOf.get(topic) ?? []) responses.delete(key);
    },
    /** Size of the stored bytes, with an estimate of the overhead. */
    get bytes() {
      return responses.calculatedSize;
    },
    answerBytesMax: Math.floor(bytesMax / 8),
  };
};
