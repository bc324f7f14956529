import type { StreamName } from '@almanac/contracts';
import { DeliverPolicy } from '@nats-io/jetstream';
import type { z } from 'zod';
import type { Bus } from './bus.js';
import type { Running } from './consume.js';
import { type EventMessage, readEvent } from './events.js';
import { patterns } from './names.js';

export interface FollowOptions<State> {
  readonly stream: StreamName;
  /** One subject pattern; all of the stream by default. A wildcard over many subjects costs the server memory. */
  readonly filter?: string;
  /** From the first event, or only what comes from now on. */
  readonly from: 'first' | 'new';
  readonly state: z.ZodType<State>;
  readonly onEvent: (message: EventMessage<State>) => void;
  /** Called for what is no event; following goes on. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
}

export interface Following extends Running {
  /** Sequence of the last event seen. */
  readonly seq: number;
  /** Settles when everything that was stored at the start has been seen. */
  readonly caughtUp: Promise<void>;
}

/**
 * Follows a stream in this process' memory, in order and without gaps, through one ordered consumer, which makes
 * itself anew where it was after a lost connection. Every process that follows sees every event.
 */
export const follow = async <State>(bus: Bus, options: FollowOptions<State>): Promise<Following> => {
  const { stream, filter = patterns.allOf(stream), from } = options;
  const consumer = await bus.js.consumers.get(stream, {
    filter_subjects: filter,
    deliver_policy: from === 'first' ? DeliverPolicy.All : DeliverPolicy.New,
    name_prefix: bus.user,
  });
  let seq = 0;
  let markCaughtUp: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => (markCaughtUp = resolve));
  const messages = await consumer.consume({
    max_messages: 1_000,
    expires: 5_000,
    callback: (message) => {
      try {
        options.onEvent(readEvent(message, options.state));
      } catch (error) {
        options.onUnreadable(error, message);
      }
      seq = message.seq;
      if (message.info.pending === 0) markCaughtUp();
    },
  });
  const info = await consumer.info();
  if (from === 'new' || (info.num_pending === 0 && info.delivered.consumer_seq === 0)) markCaughtUp();
  return {
    get seq() {
      return seq;
    },
    caughtUp,
    stop: async () => {
      await messages.close();
      await consumer.delete();
    },
  };
};
