import type { StreamName } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import type { z } from 'zod';
import type { Bus, Running } from '../bus.js';
import { type EventMessage, isOfNewerRelease, readEvent } from '../streams/events.js';
import { readableEvent } from '../streams/last-event.js';
import { patterns } from '../names.js';
import { NewerEventError } from '../streams/newer-event.js';
import { subscribeOrdered } from './ordered-subscription.js';
import {
  partitionsOf,
  placed,
  sequenceOf,
  serverStream,
  serverSubject,
  storedFrom,
  type StreamPosition,
} from '../partitions.js';
import { longTimeoutClients } from '../connection/long-timeout-clients.js';
import { retryUntilDone, startWaitMs } from '../streams/retry-until-done.js';
import { awaitStream } from '../streams/streams.js';
import { reportUnreadable } from '../streams/unreadable-events.js';

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
  /** Subscribes anew because events are known to be missing. At most once a second. */
  readonly hurry: () => void;
}

/**
 * Follows a stream in order and without gaps, through one subscription for each partition. Every process that follows gets every event. Events of several partitions have no
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
    hurry: () => {
      for (const part of parts) part.hurry();
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
  const first =
    from === 'new'
      ? (await endAtStart(bus, server)) + 1
      : storedFrom(bus, { stream, partition, seq: from === 'first' ? 1 : from.seq });
  let seen = 0;
  let storedCount = Number.POSITIVE_INFINITY;
  let markCaughtUp: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => (markCaughtUp = resolve));
  const subscription = await subscribeOrdered(bus, {
    stream: server,
    filter: serverSubject(bus, { stream, partition, subject: filter }),
    first,
    onMessage: (message) => {
      passOn(bus, options, placed(bus, stream, message));
      seen += 1;
      if (seen >= storedCount) markCaughtUp();
    },
  });
  ({ storedCount } = subscription);
  if (from === 'new' || seen >= storedCount) markCaughtUp();
  return {
    get seq() {
      return sequenceOf(bus, { stream, partition, stored: subscription.handled });
    },
    caughtUp,
    get progress() {
      return from === 'new' ? { read: 0, stored: 0 } : { read: Math.min(seen, storedCount), stored: storedCount };
    },
    hurry: subscription.hurry,
    stop: () => subscription.stop(),
  };
};

/** Like a consumer, it may be requested during an election. */
const endAtStart = (bus: Bus, server: string): Promise<number> =>
  retryUntilDone(bus, { what: `for the end of ${server}`, timeoutMs: startWaitMs }, async () => {
    const { jsm } = await longTimeoutClients(bus);
    return (await jsm.streams.info(server)).state.last_seq;
  });

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
