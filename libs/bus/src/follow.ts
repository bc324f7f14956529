import { randomUUID } from 'node:crypto';
import type { StreamName } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import { DeliverPolicy } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import type { z } from 'zod';
import { type Bus, isConsumerNotFound } from './bus.js';
import type { Running } from './durable.js';
import { type EventMessage, readEvent } from './events.js';
import { patterns } from './names.js';
import { longTimeoutClients } from './long-timeout-clients.js';
import { awaitStream } from './streams.js';

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
 * A follower that stops while its consumer is being made anew may leave one behind; the server forgets that after so
 * long. One whose connection was lost for longer makes another.
 */
const inactiveThresholdMs = 60_000;

/**
 * Follows a stream in this process' memory, in order and without gaps, through one ordered consumer, which makes
 * itself anew where it was after a lost connection. Every process that follows sees every event.
 */
export const follow = async <State>(bus: Bus, options: FollowOptions<State>): Promise<Following> => {
  const { stream, filter = patterns.allOf(stream), from } = options;
  await awaitStream(bus, stream);
  const { js, jsm } = await longTimeoutClients(bus);
  const first = from === 'first' ? 1 : (await jsm.streams.info(stream)).state.last_seq + 1;
  const consumer = await js.consumers.get(stream, {
    filter_subjects: filter,
    // Not `new`: a consumer that is made anew before its first message would begin at the stream's beginning.
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: first,
    // Two followers of one name would share one consumer, each with holes.
    name_prefix: `${bus.user}-${randomUUID()}`,
    inactive_threshold: inactiveThresholdMs,
  });
  const { num_pending: stored } = await consumer.info(true);
  let seq = 0;
  let seen = 0;
  let stopped = false;
  let markCaughtUp: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => (markCaughtUp = resolve));
  if (from === 'new' || stored === 0) markCaughtUp();
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
      seen += 1;
      if (seen >= stored) markCaughtUp();
    },
  });
  // What is kept by following is wrong from here on, so this must end the process; nobody awaits it.
  void messages.closed().then((error) => {
    if (!stopped && !bus.nc.isClosed()) throw new Error(`following ${filter} has ended`, { cause: error });
  });
  return {
    get seq() {
      return seq;
    },
    caughtUp,
    stop: async () => {
      stopped = true;
      await messages.close();
      await consumer.delete().catch(ignoreMissingConsumer);
    },
  };
};

const temporarilyUnavailable = 10008;

/**
 * A server that restarted has forgotten the consumer already, and one that cannot be asked now forgets it by itself
 * when nobody uses it: neither keeps a process from its end.
 */
const ignoreMissingConsumer = (error: unknown): void => {
  if (error instanceof errors.TimeoutError || isConsumerNotFound(error)) return;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== temporarilyUnavailable) throw error;
};

/** Each may make the server read a whole block of messages. */
const concurrentReads = 8;

/**
 * Follows the subjects of a pattern that fits few of a stream's subjects: `onEvent` has had the last event of each when
 * this resolves, and has what comes from then on, never an older one after a newer. Beside millions of other subjects
 * this is quick: they are listed and each is asked for. A consumer from the first event makes the server read the whole
 * stream (2 M subjects: 32 s on a busy machine, while nobody else was answered).
 */
export const followCurrent = async <State>(bus: Bus, options: Omit<FollowOptions<State>, 'from'>): Promise<Running> => {
  const lastSeqs = new Map<string, number>();
  const onEvent = (message: EventMessage<State>): void => {
    if ((lastSeqs.get(message.subject) ?? 0) >= message.seq) return;
    lastSeqs.set(message.subject, message.seq);
    options.onEvent(message);
  };
  const following = await follow(bus, { ...options, from: 'new', onEvent });
  try {
    await loadEach(bus, options, onEvent);
  } catch (error) {
    await following.stop();
    throw error;
  }
  return { stop: () => following.stop() };
};

const loadEach = async <State>(
  bus: Bus,
  { stream, filter, state, onUnreadable }: Omit<FollowOptions<State>, 'from' | 'onEvent'>,
  onEvent: FollowOptions<State>['onEvent'],
): Promise<void> => {
  const { jsm } = await longTimeoutClients(bus);
  const { state: listed } = await jsm.streams.info(stream, { subjects_filter: filter ?? patterns.allOf(stream) });
  await forEachConcurrent(Object.keys(listed.subjects ?? {}), concurrentReads, async (subject) => {
    const message = await jsm.streams.getMessage(stream, { last_by_subj: subject });
    if (message === null) return;
    try {
      onEvent(readEvent(message, state));
    } catch (error) {
      onUnreadable(error, message);
    }
  });
};
