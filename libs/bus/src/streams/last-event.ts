import { DomainError, type StreamName } from '@almanac/contracts';
import type { z } from 'zod';
import type { Bus } from '../bus.js';
import { type EventMessage, readEvent } from './events.js';
import {
  lastMessage,
  lastMessageFromReplica,
  lastMessageOfMajority,
  lastMessageToShow,
  lastMessageUpTo,
  nextMessage,
  type ReadMessage,
} from './jetstream-reads.js';
import { discardedUpTo } from './discarded-events.js';
import { forgetNewerEvent, NewerEventError } from './newer-event.js';
import { reportUnreadable } from './unreadable-events.js';

export interface LastEvent<State> {
  /** The last event of the subject. Undefined if it has none. */
  readonly message: EventMessage<State> | undefined;
  /** The subject's last sequence, which an append must expect. It may be that of an unreadable message. 0: no message. */
  readonly lastSeq: number;
  /** A later event needs a newer release. Queries use `message`, but nothing may be decided on it. */
  readonly newer: NewerEventError | undefined;
  /** The leader did not answer, so a later event may exist. */
  readonly fromReplica: boolean;
}

export type ReadFrom = keyof typeof readers | ReadUpTo;

/** The leader, and only while it does not answer a replica that has everything up to a sequence, which is read then. */
export interface ReadUpTo {
  readonly upTo: () => Promise<number>;
}

const readers = {
  leader: lastMessage,
  majority: lastMessageOfMajority,
  replica: lastMessageFromReplica,
  'leader or replica': lastMessageToShow,
} as const;

const readLast = (bus: Bus, { stream, subject, readFrom = 'leader' }: Omit<ReadLastEvent<unknown>, 'state'>) =>
  typeof readFrom === 'string'
    ? readers[readFrom](bus, stream, subject)
    : lastMessageUpTo(bus, { stream, subject, upTo: readFrom.upTo });

export interface ReadLastEvent<State> {
  readonly stream: StreamName;
  readonly subject: string;
  readonly state: z.ZodType<State>;
  /**
   * The stream's leader has every acknowledged append. Any replica answers faster but may be behind. `leader or replica`: the
   * leader, and a replica only while it does not answer. `majority`: the leader, if a majority follows it. Default: leader.
   */
  readonly readFrom?: ReadFrom;
}

/** Unreadable messages of one subject that one read skips. */
const skippedMax = 100;

/**
 * Reads the last event of a subject. Messages that are no event become dead letters and are skipped, so that one wrong
 * message does not make its entity unreadable for ever. Events that only a newer release can read are skipped, too.
 * Throws `unavailable` after 100 of both, and if all events are newer.
 */
export const lastEvent = async <State>(bus: Bus, read: ReadLastEvent<State>): Promise<LastEvent<State>> => {
  const last = await readLast(bus, read);
  if (last === null) return { message: undefined, lastSeq: 0, newer: undefined, fromReplica: false };
  const { message, newer } = await readable(bus, read, last);
  if (message === undefined && newer !== undefined) throw newer;
  return { message, lastSeq: last.seq, newer, fromReplica: last.fromReplica === true };
};

/** The event of this message, or else the last event of its subject before it. */
export const readableEvent = async <State>(
  bus: Bus,
  read: Omit<ReadLastEvent<State>, 'readFrom'>,
  last: Message,
): Promise<EventMessage<State> | undefined> => (await readable(bus, read, last)).message;

type Message = { subject: string; seq: number; data: Uint8Array };

interface Readable<State> {
  readonly message: EventMessage<State> | undefined;
  /** The error of the latest event of a newer release that was skipped. */
  readonly newer: NewerEventError | undefined;
}

const readable = async <State>(
  bus: Bus,
  { stream, subject, state }: Omit<ReadLastEvent<State>, 'readFrom'>,
  last: Message,
): Promise<Readable<State>> => {
  const positions = skippedPositions(bus);
  const key = `${stream} ${subject}`;
  let newer: NewerEventError | undefined;
  let discarded = 0;
  const noteNewer = (error: unknown): void => {
    if (error instanceof NewerEventError && error.event.seq > discarded) newer ??= error;
  };
  let message: Message | null = last;
  for (let skipped = 0; message !== null; skipped += 1) {
    try {
      const event = readEvent(message, state);
      if (newer === undefined) forgetNewerEvent(bus, subject);
      if (skipped === 0) positions.delete(key);
      else positions.set(key, { seq: last.seq, before: message, newer });
      return { message: event, newer };
    } catch (error) {
      discarded = Math.max(discarded, discardedUpTo(message.data));
      if (message.seq > discarded) reportUnreadable(bus, stream, message, error);
      noteNewer(error);
      if (skipped === skippedMax) throw newer ?? new UnreadableSubjectError(error);
      const known = positions.get(key);
      if (known?.seq === message.seq) {
        noteNewer(known.newer);
        message = known.before;
      } else message = await messageBefore(bus, { stream, subject }, message.seq);
    }
  }
  if (newer === undefined) forgetNewerEvent(bus, subject);
  positions.set(key, { seq: last.seq, before: null, newer });
  return { message: undefined, newer };
};

/** A subject ends with more unreadable messages than a read skips. A retry cannot help. */
export class UnreadableSubjectError extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', 'The stored data cannot be read. Try again later.', { cause });
  }
}

interface SkippedPosition {
  readonly seq: number;
  readonly before: Message | null;
  readonly newer: NewerEventError | undefined;
}

const positionsOfBus = new WeakMap<Bus, Map<string, SkippedPosition>>();
const positionsMax = 1_000;

/** The last readable message of each subject that ends with other ones, so that a second read needs no search. */
const skippedPositions = (bus: Bus): Map<string, SkippedPosition> => {
  const positions = positionsOfBus.get(bus) ?? new Map<string, SkippedPosition>();
  if (positions.size > positionsMax) positions.clear();
  positionsOfBus.set(bus, positions);
  return positions;
};

/**
 * The last message of a subject before a sequence. The server only searches forward, from a sequence to the next
 * message of a subject. So this doubles its distance until the server finds an earlier message, then halves it. The
 * number of requests grows with the logarithm of the distance.
 */
export const messageBefore = async (
  bus: Bus,
  { stream, subject }: { stream: StreamName; subject: string },
  seq: number,
): Promise<ReadMessage | null> => {
  const nextFrom = async (start: number): Promise<ReadMessage | null> => {
    const found = await nextMessage(bus, stream, { subject, seq: start });
    return found !== null && found.seq < seq ? found : null;
  };
  let before: ReadMessage | null = null;
  // No message of the subject is at `end` or between `end` and `seq`.
  let end = seq;
  for (let distance = 1; before === null && end > 1; distance *= 2) {
    const start = Math.max(1, seq - distance);
    before = await nextFrom(start);
    if (before === null) end = start;
  }
  while (before !== null && before.seq + 1 < end) {
    const middle: number = Math.floor((before.seq + end) / 2);
    const found = await nextFrom(middle);
    if (found === null) end = middle;
    else before = found;
  }
  return before;
};
