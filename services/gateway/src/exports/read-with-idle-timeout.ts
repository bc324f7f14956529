import type { Readable } from 'node:stream';
import { countPassedBytes } from '@almanac/runtime';

/**
 * Yields what a source sends. A source that sends nothing for `silenceMs` is destroyed with an error. Only the time in
 * which its reader waits counts, so a slow reader does not end it.
 */
export async function* readWithIdleTimeout(source: Readable, silenceMs: number): AsyncGenerator<Buffer, void, void> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const fellSilent = (): void => void source.destroy(new Error('the object store fell silent'));
  try {
    for (;;) {
      const timer = setTimeout(fellSilent, silenceMs);
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done === true) return;
      countPassedBytes(next.value.length);
      yield next.value;
    }
  } finally {
    source.destroy();
  }
}
