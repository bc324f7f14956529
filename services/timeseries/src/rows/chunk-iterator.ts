import type { ReplyChunks } from '@almanac/bus';

/**
 * Chunks of which none is referred to after it was taken. A generator that waits at a `yield` keeps the value that it yielded: half a
 * megabyte for each slow reader. `end` is called once, after the last chunk, an error or the reader's end.
 */
export const chunkIterator = (produce: ReplyChunks['next'], end: () => void): ReplyChunks => {
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    end();
  };
  const iterator: ReplyChunks = {
    next: async () => {
      if (isOver) return { done: true, value: {} };
      try {
        const produced = await produce();
        if (produced.done === true) finish();
        return produced;
      } catch (error) {
        finish();
        throw error;
      }
    },
    return: async (value) => {
      finish();
      return { done: true, value: await value };
    },
    throw: async (error) => {
      finish();
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
    [Symbol.asyncDispose]: async () => finish(),
  };
  return iterator;
};
