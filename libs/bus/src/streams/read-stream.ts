import { randomUUID } from 'node:crypto';
import type { StreamName } from '@almanac/contracts';
import { DeliverPolicy, type ConsumerMessages } from '@nats-io/jetstream';
import type { z } from 'zod';
import { type Bus, isConsumerLost } from '../bus.js';
import { type EventMessage, readEvent } from './events.js';
import { readableEvent } from './last-event.js';
import { placed, serverStream, storedFrom } from '../partitions.js';
import { rawJetStream } from '../connection/raw-jetstream.js';
import { hasSubjectIndex } from '../connection/server-version.js';

export interface ReadStreamOptions<State, Item> {
  readonly stream: StreamName;
  /** Which one is read of several. Default 0. */
  readonly partition?: number;
  /** Sequences, both inclusive. */
  readonly from: number;
  readonly upTo: number;
  readonly state: z.ZodType<State>;
  /**
   * Whether only the last event of each subject is needed. A server without an index of subjects still sends all events.
   * `from` must be 1.
   */
  readonly lastOnly?: boolean;
  /** Converts an event to what is held in memory until its batch is handled. */
  readonly map: (message: EventMessage<State>) => Item;
  readonly batchMax: number;
  /** Runs one batch at a time. Only the next batch is read meanwhile. */
  readonly onBatch: (items: readonly Item[]) => Promise<void>;
  /** Called for a message that is no event. Reading continues. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
  readonly signal: AbortSignal;
}

const idleTimeoutMs = 60_000;
const pulledMax = 5_000;

/**
 * Reads a part of a stream, or of one of its partitions, in order, as fast as it can be handled, in bounded memory. It has no filter, because a
 * wildcard over millions of subjects costs the server gigabytes.
 */
export const readStream = async <State, Item>(bus: Bus, options: ReadStreamOptions<State, Item>): Promise<void> => {
  const { stream, partition = 0, from, upTo, signal, batchMax } = options;
  if (from > upTo) return;
  const lastOnly = options.lastOnly === true && hasSubjectIndex(bus.nc.info);
  const consumer = await bus[rawJetStream].js.consumers.get(serverStream(bus, stream, partition), {
    ...(lastOnly
      ? { deliver_policy: DeliverPolicy.LastPerSubject }
      : {
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: storedFrom(bus, { stream, partition, seq: from }),
        }),
    name_prefix: `${bus.user}-${randomUUID()}`,
  });
  const messages = await consumer.consume({ max_messages: pulledMax, expires: 5_000 });
  const watch = watchIdle(messages, signal);
  let storing = Promise.resolve();
  let batch: Item[] = [];
  const store = async (): Promise<void> => {
    await storing;
    storing = options.onBatch(batch);
    // The next batch awaits this promise. Until then a failure must not count as unhandled.
    storing.catch(() => undefined);
    batch = [];
  };
  let seq = from - 1;
  try {
    for await (const stored of messages) {
      const message = placed(bus, stream, stored);
      watch.touch();
      seq = message.seq;
      if (seq > upTo) break;
      try {
        batch.push(options.map(readEvent(message, options.state)));
      } catch (error) {
        options.onUnreadable(error, message);
        const { subject } = message;
        // The earlier events of the subject are not sent.
        const event = lastOnly
          ? await readableEvent(bus, { stream, subject, state: options.state }, message)
          : undefined;
        if (event !== undefined) batch.push(options.map(event));
      }
      if (batch.length >= batchMax) await store();
      if (seq === upTo || stored.info.pending === 0) break;
    }
    signal.throwIfAborted();
    if (watch.timedOut)
      throw new Error(`Nothing came from ${stream} after ${seq} of ${upTo} for ${idleTimeoutMs / 1_000} s.`);
    if (batch.length > 0) await store();
    await storing;
  } finally {
    watch.end();
    await messages.close();
    await consumer.delete().catch(ignoreMissingConsumer);
  }
};

/** Closes the messages after a long silence or an abort. */
const watchIdle = (messages: ConsumerMessages, signal: AbortSignal) => {
  let last = performance.now();
  let timedOut = false;
  const end = (): void => void messages.close();
  signal.addEventListener('abort', end, { once: true });
  const timer = setInterval(() => {
    if (performance.now() - last < idleTimeoutMs) return;
    timedOut = true;
    end();
  }, 1_000);
  return {
    touch: () => (last = performance.now()),
    get timedOut() {
      return timedOut;
    },
    end: () => {
      clearInterval(timer);
      signal.removeEventListener('abort', end);
    },
  };
};

/** A server that was lost no longer has the consumer. */
const ignoreMissingConsumer = (error: unknown): void => {
  if (!isConsumerLost(error)) throw error;
};
