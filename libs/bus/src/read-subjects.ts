import { randomUUID } from 'node:crypto';
import type { StreamName } from '@almanac/contracts';
import { z } from 'zod';
import type { Bus } from './bus.js';
import { type EventMessage, readEvent } from './events.js';

export interface ReadSubjectsOptions {
  readonly stream: StreamName;
  /** One subject pattern, of few things: such as all of one account. */
  readonly filter: string;
  /** Called for what is no event; reading goes on. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
}

const fetchedMax = 100;
const idleTimeoutMs = 10_000;

/**
 * What is stored under a pattern at the start, from the first event on, as quickly as it is taken and in flat memory:
 * the whole history of a thing, for one who asks once in a while. Throws when nothing comes for 10 s.
 */
export async function* readSubjects(bus: Bus, options: ReadSubjectsOptions): AsyncGenerator<EventMessage> {
  const { stream, filter, onUnreadable } = options;
  const consumer = await bus.js.consumers.get(stream, {
    filter_subjects: filter,
    name_prefix: `${bus.user}-${randomUUID()}`,
  });
  try {
    let remaining = (await consumer.info(true)).num_pending;
    while (remaining > 0) {
      const before = remaining;
      for await (const message of await consumer.fetch({
        max_messages: Math.min(fetchedMax, remaining),
        expires: idleTimeoutMs,
      })) {
        remaining -= 1;
        const event = readable(message, onUnreadable);
        if (event !== undefined) yield event;
      }
      if (remaining === before) throw new Error(`Nothing came from ${stream} for ${idleTimeoutMs / 1_000} s.`);
    }
  } finally {
    await consumer.delete();
  }
}

const readable = (
  message: Parameters<typeof readEvent>[0],
  onUnreadable: ReadSubjectsOptions['onUnreadable'],
): EventMessage | undefined => {
  try {
    return readEvent(message, z.unknown());
  } catch (error) {
    onUnreadable(error, message);
    return undefined;
  }
};
