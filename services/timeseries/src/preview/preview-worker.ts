import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from '@almanac/bus';
import { DomainError } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { withJitter } from '@almanac/runtime';
import { type Claim, type PreviewQueue, RedisUnavailableError } from './preview-queue.js';
import type { Previews } from './preview.query.js';

export interface PreviewWorkerDeps {
  readonly queue: PreviewQueue;
  readonly previews: Pick<Previews, 'prepareAhead'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Pause when no market is due or Redis is unavailable. */
const idleMs = 1_000;

/** Prepares due previews one at a time, so readers come first. If a process dies, its claim expires. */
export const startPreviewWorker = ({ queue, previews, log }: PreviewWorkerDeps): Running => {
  const stopping = new AbortController();
  const pause = (): Promise<void> =>
    delay(withJitter(idleMs), undefined, { signal: stopping.signal }).catch(() => undefined);

  const step = async (): Promise<'again' | 'rest'> => {
    const claim = await queue.claim();
    if (claim === undefined) return 'rest';
    if (!(await isSettled(claim))) return 'rest';
    await queue.finish(claim);
    return 'again';
  };
  /** False if a later attempt can help: the claim then expires and the market is due again. */
  const isSettled = async ({ ticker }: Claim): Promise<boolean> => {
    try {
      return (await previews.prepareAhead(ticker)) !== 'busy';
    } catch (error) {
      const code = error instanceof DomainError ? error.code : undefined;
      if (code === 'market_not_found' || code === 'invalid_window') return true;
      log.warn({ err: error, ticker }, 'a preview could not be prepared ahead');
      return code !== 'unavailable';
    }
  };
  const working = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if ((await step()) === 'rest') await pause();
      } catch (error) {
        // The health check already reports that Redis is unavailable.
        if (!(error instanceof RedisUnavailableError)) log.warn({ err: error }, 'due previews could not be read');
        await pause();
      }
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
};
