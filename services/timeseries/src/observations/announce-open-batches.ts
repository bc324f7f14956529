import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';
import { withJitter } from '@almanac/runtime';
import type { Announcements } from './announcements.js';

export interface AnnounceOpenBatchesOptions {
  readonly everyMs?: number;
  /** Longer than a call that stores a batch can last. */
  readonly minAgeS?: number;
}

/**
 * Announces batches whose process died between their rows and their events, or could not append the events. All
 * processes do so: a second event of a change only costs one more read.
 */
export const announceOpenBatches = (
  announcements: Pick<Announcements, 'announceOpen'>,
  log: Logger,
  { everyMs = 30_000, minAgeS = 120 }: AnnounceOpenBatchesOptions = {},
): Running => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    while (!signal.aborted) {
      await delay(withJitter(everyMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const batches = await announcements.announceOpen(minAgeS);
        if (batches > 0) log.warn({ batches }, 'batches without events were announced');
      } catch (error) {
        log.warn({ err: error }, 'batches without events could not be announced; retrying');
      }
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await loop;
    },
  };
};
