import { chunkBytes } from '@almanac/bus';

/** Of a part, in chunks: after the first rows, for a slow reader, and the most after parts without a pause. */
const partChunks = { first: 32, slow: 1, max: 256 } as const;
const growth = 4;
/** A reader that takes nothing for this long is waited for without a query. */
export const idleMs = 250;
/** A slow reader is quick again after so many bytes at this speed. */
const quickBytesMin = 1.5 * chunkBytes;
const quickBytesPerS = 256 * 1_024;

/**
 * How long the parts of a reader are. After a pause, they have one chunk, and the reader is slow. It is quick again when it has
 * taken bytes at some speed, with all waits for a slot. To take one chunk at once proves nothing: while it waited for a slot, its client
 * emptied the buffers.
 */
export const partLength = () => {
  let chunks: number = partChunks.first;
  let slow: { readonly sinceMs: number; readonly bytes: number } | null = null;
  const isQuickAgain = (bytes: number, since: NonNullable<typeof slow>): boolean => {
    const taken = bytes - since.bytes;
    return taken >= quickBytesMin && taken >= (quickBytesPerS * (performance.now() - since.sinceMs)) / 1_000;
  };
  return {
    get chunks() {
      return chunks;
    },
    get isSlow() {
      return slow !== null;
    },
    /** The reader took the last chunk after this time. `bytes`: what it has taken. */
    taken: (ms: number, bytes: number): void => {
      if (ms < idleMs) return;
      slow = { sinceMs: performance.now(), bytes };
      chunks = partChunks.slow;
    },
    /** The reader took all chunks of a part without a pause. */
    whole: (bytes: number): void => {
      if (slow !== null && !isQuickAgain(bytes, slow)) return;
      slow = null;
      chunks = Math.min(chunks * growth, partChunks.max);
    },
  };
};
