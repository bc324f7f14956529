import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many bytes may pass before their buffers are freed. A proxy of 512 MB had 60 MB of buffers at most without it, 35 MB
 * with 16 MB, and 14 MB with 4 MB, at the same processor time (measured).
 */
const collectAfterBytes = 4 * 1_048_576;

let passedBytes = 0;

/**
 * Counts the bytes of a stream that this process passes on, and frees their buffers. Node reads each piece of a stream into
 * a buffer of its own, of up to 64 KB. V8 sees only small objects that refer to them, so it frees none before 64 MB have
 * piled up.
 */
export const countPassedBytes = (bytes: number): void => {
  passedBytes += bytes;
  if (passedBytes < collectAfterBytes) return;
  passedBytes = 0;
  collectYoung ??= exposedCollector();
  collectYoung();
};

let collectYoung: (() => void) | undefined;

/** V8 gives its collector only to contexts made after the flag is set. */
const exposedCollector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('V8 has no function to collect garbage');
  return () => void Reflect.apply(collect, undefined, [{ type: 'minor' }]);
};
