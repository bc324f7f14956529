import type { StreamName } from '@almanac/contracts';
import { z } from 'zod';
import type { Bus } from '../bus.js';
import { nextMessage } from './jetstream-reads.js';

/**
 * The operator discards newer events with one more message of their subject. It is a copy of the last event that this
 * release can read, with this field, so every process and every older release goes on from there. Where none is
 * readable, the message has only this field, and the entity does not exist.
 */
const discarding = z.looseObject({ discards: z.int().positive() });

/** Up to which sequence a message discards the newer events of its subject. 0 for other messages. */
export const discardedUpTo = (data: Uint8Array): number => {
  try {
    return discarding.safeParse(JSON.parse(Buffer.from(data).toString('utf8'))).data?.discards ?? 0;
  } catch {
    return 0;
  }
};

const searchedMax = 100;

/** Whether the operator discarded a newer event. Reads the next messages of its subject. */
export const isDiscarded = async (
  bus: Bus,
  stream: StreamName,
  { subject, seq }: { subject: string; seq: number },
): Promise<boolean> => {
  let from = seq + 1;
  for (let searched = 0; searched < searchedMax; searched += 1) {
    const later = await nextMessage(bus, stream, { subject, seq: from });
    if (later === null) return false;
    if (discardedUpTo(later.data) >= seq) return true;
    from = later.seq + 1;
  }
  return false;
};
