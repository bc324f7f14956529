import { randomUUID } from 'node:crypto';
import type { StreamName } from '@almanac/contracts';
import { DeliverPolicy } from '@nats-io/jetstream';
import { z } from 'zod';
import type { Bus } from '../bus.js';
import { type EventMessage, readEvent } from './events.js';
import { partitionOf, partitionsOf, placed, serverStream, serverSubject } from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';

export interface ReadSubjectsOptions {
  readonly stream: StreamName;
  /** One pattern that matches few subjects, such as those of one account. */
  readonly filter: string;
  /** Whether to yield only the last event of each subject, in the order of the stream, or of each partition. */
  readonly lastOnly?: boolean;
  /** Called for a message that is no event. Reading continues. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
}

const fetchedMax = 100;
const idleTimeoutMs = 10_000;

/**
 * Yields the events stored under a pattern at the start, from the first on, with back-pressure and in constant
 * memory. For occasional reads of an entity's complete history. Throws if no message arrives for 10 s.
 */
export async function* readSubjects(bus: Bus, options: ReadSubjectsOptions): AsyncGenerator<EventMessage> {
  const { stream, filter } = options;
  const isPattern = /[*>]/.test(filter);
  const partitions = isPattern ? partitionsOf(bus, stream) : [partitionOf(bus, stream, filter)];
  for (const partition of partitions) yield* readPartition(bus, options, partition);
}

async function* readPartition(
  bus: Bus,
  { stream, filter, lastOnly = false, onUnreadable }: ReadSubjectsOptions,
  partition: number,
): AsyncGenerator<EventMessage> {
  const consumer = await bus[rawJetStream].js.consumers.get(serverStream(bus, stream, partition), {
    filter_subjects: serverSubject(bus, { stream, partition, subject: filter }),
    deliver_policy: lastOnly ? DeliverPolicy.LastPerSubject : DeliverPolicy.All,
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
        const event = readable(placed(bus, stream, message), onUnreadable);
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
