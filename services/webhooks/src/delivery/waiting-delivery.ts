import { type Bus, type QueuedDelivery, storedRetry } from '@almanac/bus';
import { micros } from '@almanac/contracts';
import { z } from 'zod';
import type { QueueEntry } from './queue-entry.js';

/** The failed attempts of a delivery. */
export interface Attempts {
  readonly attempts: number;
  readonly firstFailedMs: number | null;
  readonly dueMs: number;
  readonly retrySeq: number | null;
}
export const noAttempts: Attempts = { attempts: 0, firstFailedMs: null, dueMs: 0, retrySeq: null };

/** A delivery in the memory of its lane. */
export interface WaitingDelivery extends QueuedDelivery, Attempts {
  readonly entry: QueueEntry;
  running: boolean;
}

const storedRetryForm = z.object({ attempts: z.int(), first_us: micros, next_us: micros });

/** The attempts that another process made for the first delivery of an object. Undefined without any. */
export const earlierAttempts = async (bus: Bus, webhook: string, object: string): Promise<Attempts | undefined> => {
  const stored = await storedRetry(bus, { webhook, object });
  if (stored === null) return undefined;
  const { attempts, first_us, next_us } = storedRetryForm.parse(JSON.parse(Buffer.from(stored.data).toString()));
  return { attempts, firstFailedMs: first_us / 1_000, dueMs: next_us / 1_000, retrySeq: stored.seq };
};
