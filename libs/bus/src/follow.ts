import { randomUUID } from 'node:crypto';
import type { StreamName } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import { DeliverPolicy } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import type { z } from 'zod';
import { type Bus, isConsumerNotFound } from './bus.js';
import type { Running } from './durable-consumer.js';
import { type EventMessage, isOfNewerRelease, readEvent } from './events.js';
import { readableEvent } from './last-event.js';
import { patterns } from './names.js';
import { NewerEventError } from './newer-event.js';
import {
  partitionsOf,
  placed,
  sequenceOf,
  serverStream,
  serverSubject,
  storedFrom,
  type StreamPosition,
} from './partitions.js';
import { longTimeoutClients } from './long-timeout-clients.js';
import { awaitStream } from './streams.js';
import { reportUnreadable } from './unreadable-events.js';

export interface FollowOptions<State> {
  readonly stream: StreamName;
  /** One subject pattern. Default: the complete stream. A wildcard over many subjects costs the server memory. */
  readonly filter?: string;
  /** From the first event, only new events, or from a sequence on. */
  readonly from: 'first' | 'new' | { readonly seq: number };
  readonly state: z.ZodType<State>;
  readonly onEvent: (message: EventMessage<State>) => void;
  /** Called for a message that is no event, after it became a dead letter. The process continues to follow. */
  readonly onUnreadable: (error: unknown, message: { subject: string; seq: number }) => void;
}

export interface Following extends Running {
  /** All events up to this sequence have been handled, whatever their partition. */
  readonly seq: number;
  /** All events up to this position have been handled. */
  readonly position: StreamPosition;
  /** Settles when all events that were stored at the start have been handled. */
  readonly caughtUp: Promise<void>;
  /** How many of the events that were stored at the start have been handled. */
  readonly progress: { readonly read: number; readonly stored: number };
}

/**
 * The server deletes an unused consumer after this time. It covers a process that stops while its consumer is
 * recreated. After a longer disconnection the client creates another consumer.
 */
const inactiveThresholdMs = 60_000;

/**
 * Follows a stream in order and without gaps, through one ordered consumer for each partition. After a lost connection the
 * consumer is recreated at its position. Every process that follows gets every event. Events of several partitions have no
 * order, except those of one subject.
 */
export const follow = async <State>(bus: Bus, options: FollowOptions<State>): Promise<Following> => {
  await awaitStream(bus, options.stream);
  const parts: PartitionFollowing[] = [];
  try {
    for (const partition of partitionsOf(bus, options.stream))
      parts.push(await followPartition(bus, options, partition));
  } catch (error) {
    await Promise.all(parts.map((part) => part.stop()));
    throw error;
  }
  return {
    get seq() {
      return Math.min(...parts.map(({ seq }) => seq));
    },
    get position() {
      return parts.map(({ seq }) => seq);
    },
    caughtUp: Promise.all(parts.map(({ caughtUp }) => caughtUp)).then(() => undefined),
    get progress() {
      const all = parts.map(({ progress }) => progress);
      const sum = (count: (one: Following['progress']) => number): number =>
        all.reduce((total, one) => total + count(one), 0);
      return { read: sum(({ read }) => read), stored: sum(({ stored }) => stored) };
    },
    stop: async () => void (await Promise.all(parts.map((part) => part.stop()))),
  };
};

type PartitionFollowing = Omit<Following, 'position'>;

const followPartition = async <State>(
  bus: Bus,
  options: FollowOptions<State>,
  partition: number,
): Promise<PartitionFollowing> => {
  const { stream, filter = patterns.allOf(stream), from } = options;
  const server = serverStream(bus, stream, partition);
  const { js, jsm } = await longTimeoutClients(bus);
  const first =
    from === 'new'
      ? (await jsm.streams.info(server)).state.last_seq + 1
      : storedFrom(bus, { stream, partition, seq: from === 'first' ? 1 : from.seq });
  const consumer = await js.consumers.get(server, {
    filter_subjects: serverSubject(bus, { stream, partition, subject: filter }),
    // Not `new`: a consumer recreated before its first message would start at the beginning of the stream.
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: first,
    // Two consumers with the same name would share messages, so each would miss some.
    name_prefix: `${bus.user}-${randomUUID()}`,
    inactive_threshold: inactiveThresholdMs,
  });
  const { num_pending: storedCount } = await consumer.info(true);
  let seq = sequenceOf(bus, { stream, partition, stored: first - 1 });
  let seen = 0;
  let stopped = false;
  let markCaughtUp: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => (markCaughtUp = resolve));
  if (from === 'new' || storedCount === 0) markCaughtUp();
  const messages = await consumer.consume({
    max_messages: 1_000,
    expires: 5_000,
    callback: (stored) => {
      const message = placed(bus, stream, stored);
      passOn(bus, options, message);
      seq = message.seq;
      seen += 1;
      if (seen >= storedCount) markCaughtUp();
    },
  });
  // The in-memory state is wrong from here on. The unhandled rejection ends the process.
  void messages.closed().then((error) => {
    if (!stopped && !bus.nc.isClosed()) throw new Error(`following ${filter} has ended`, { cause: error });
  });
  return {
    get seq() {
      return seq;
    },
    caughtUp,
    get progress() {
      return from === 'new' ? { read: 0, stored: 0 } : { read: Math.min(seen, storedCount), stored: storedCount };
    },
    stop: async () => {
      stopped = true;
      await messages.close();
      await consumer.delete().catch(ignoreMissingConsumer);
    },
  };
};

const passOn = <State>(
  bus: Bus,
  { stream, state, onEvent, onUnreadable }: FollowOptions<State>,
  message: Parameters<typeof readEvent>[0],
): void => {
  let event: EventMessage<State> | undefined;
  try {
    event = readEvent(message, state);
    onEvent(event);
  } catch (error) {
    // `onEvent` may parse a state that it has only as unknown.
    const isNewer = event !== undefined && isOfNewerRelease(event);
    const cause = isNewer ? new NewerEventError({ ...message, type: event?.event.type ?? '' }) : error;
    reportUnreadable(bus, stream, message, cause);
    onUnreadable(cause, message);
  }
};

const temporarilyUnavailable = 10008;

/**
 * A restarted server no longer has the consumer, and an unavailable server deletes it when it is unused. Neither must
 * prevent the process from stopping.
 */
const ignoreMissingConsumer = (error: unknown): void => {
  if (error instanceof errors.TimeoutError || isConsumerNotFound(error)) return;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== temporarilyUnavailable) throw error;
};

/** Each read may load a complete block of messages in the server. */
const concurrentReads = 8;

/**
 * Follows a pattern that matches few of a stream's subjects. When this resolves, `onEvent` has received the last event
 * of each subject, and never gets an older one after a newer one. The subjects are read one by one: a consumer from
 * the first event makes the server read the complete stream (32 s for 2 M subjects on a busy machine, without other
 * answers).
 */
export const followCurrent = async <State>(
  bus: Bus,
  options: Omit<FollowOptions<State>, 'from'>,
): Promise<Pick<Following, 'position' | 'stop'>> => {
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
  return {
    get position() {
      return following.position;
    },
    stop: () => following.stop(),
  };
};

const loadEach = async <State>(
  bus: Bus,
  { stream, filter, state, onUnreadable }: Omit<FollowOptions<State>, 'from' | 'onEvent'>,
  onEvent: FollowOptions<State>['onEvent'],
): Promise<void> => {
  const { jsm } = await longTimeoutClients(bus);
  const load = async (server: string, subject: string): Promise<void> => {
    const stored = await jsm.streams.getMessage(server, { last_by_subj: subject });
    if (stored === null) return;
    const message = placed(bus, stream, stored);
    try {
      onEvent(readEvent(message, state));
    } catch (error) {
      onUnreadable(error, message);
      const event = await readableEvent(bus, { stream, subject: message.subject, state }, message);
      if (event !== undefined) onEvent(event);
    }
  };
  for (const partition of partitionsOf(bus, stream)) {
    const server = serverStream(bus, stream, partition);
    const pattern = serverSubject(bus, { stream, partition, subject: filter ?? patterns.allOf(stream) });
    const { state: listed } = await jsm.streams.info(server, { subjects_filter: pattern });
    await forEachConcurrent(Object.keys(listed.subjects ?? {}), concurrentReads, (subject) => load(server, subject));
  }
};
