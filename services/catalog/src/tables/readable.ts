import { setTimeout as pause } from 'node:timers/promises';
import { acknowledgedUpTo, type Bus, durables } from '@almanac/bus';
import { DomainError } from '@almanac/contracts';

const pollMs = 20;

/** Answers once everything up to `seq` can be queried; throws `unavailable` when that takes longer than `timeoutMs`. */
export const awaitReadable = async (bus: Bus, seq: number, timeoutMs: number): Promise<{ seq: number }> => {
  const deadline = performance.now() + timeoutMs;
  if (seq <= 0) return { seq };
  for (;;) {
    const readable = await acknowledgedUpTo(bus, 'EVT_CATALOG', durables.catalogReadModel);
    if (readable >= seq) return { seq: readable };
    if (performance.now() + pollMs > deadline) {
      const detail = `The catalogue can be queried up to ${readable} of ${seq}. Try again shortly.`;
      throw new DomainError('unavailable', detail);
    }
    await pause(pollMs);
  }
};
