import {
  type Bus,
  isRefused,
  isStorageFull,
  isWrongLastId,
  isWrongSequence,
  lastEvent,
  NewerEventError,
  producerSpan,
  publishStored,
  streamOf,
  requestContextHeaders,
  UnreadableSubjectError,
} from '@almanac/bus';
import {
  DomainError,
  eventFormats,
  newerFormatOf,
  type StoredEvent,
  type StreamName,
  stringifyCarried,
} from '@almanac/contracts';
import { inSpan } from '@almanac/runtime';
import type { z } from 'zod';
import {
  type AppendResult,
  ConflictError,
  type EventStore,
  type LoadedState,
  UnknownOutcomeError,
} from './event-store.js';

const appendTimeoutMs = 3_000;

/** An event store on JetStream. Loads read from the stream's leader, so they include every acknowledged append. */
export const jetStreamStore = (bus: Bus): EventStore => {
  const lastSeqs = lastSequences();
  const load = async <State>(
    subject: string,
    state: z.ZodType<State>,
    readFrom: 'leader' | 'majority' = 'leader',
  ): Promise<LoadedState<State> | undefined> => {
    const read = { stream: streamOf(subject), subject, state, readFrom };
    const { message, lastSeq, newer } = await lastEvent(bus, read).catch((cause: unknown) => {
      throw outcomeOf(cause, `a load of ${subject}`);
    });
    // An append after a newer event expects the wrong sequence, so the server refuses it.
    lastSeqs.loaded(subject, message?.seq ?? 0, newer === undefined ? lastSeq : (message?.seq ?? 0));
    return message && { state: message.event.state, seq: message.seq, event: message.event, ...(newer && { newer }) };
  };
  return {
    load: (subject, state) => load(subject, state),
    confirmed: async (subject, state, loaded) => (bus.replicas === 1 ? loaded : load(subject, state, 'majority')),
    loadToShow: async (subject, state) => {
      const read = { stream: streamOf(subject), subject, state, readFrom: 'leader or replica' } as const;
      const { message, fromReplica } = await lastEvent(bus, read).catch((cause: unknown) => {
        throw outcomeOf(cause, `a load of ${subject}`);
      });
      return message && { state: message.event.state, seq: message.seq, ...(fromReplica && { fromReplica }) };
    },
    append: async (subject, event, expectedSeq) => {
      const stream = streamOf(subject);
      const spanOptions = () => producerSpan(stream, event.id);
      const publish = () =>
        publishStored(bus, subject, {
          data: Buffer.from(textOf(event, stream)),
          options: {
            msgID: event.id,
            expect: { streamName: stream, lastSubjectSequence: lastSeqs.after(subject, expectedSeq) },
            headers: requestContextHeaders(),
            timeout: appendTimeoutMs,
          },
        });
      try {
        const { seq, duplicate } = await inSpan(spanOptions, publish).catch(async (cause: unknown) => {
          if (!isWrongSequence(cause)) throw cause;
          const earlier = await storedBefore(bus, subject, event.id);
          if (earlier === undefined) throw new ConflictError(`${subject} has moved on from ${expectedSeq}`, { cause });
          return earlier;
        });
        return { seq, duplicate };
      } catch (cause) {
        if (cause instanceof ConflictError) throw cause;
        throw isStorageFull(cause) ? storageFullError(cause) : outcomeOf(cause, `an append to ${subject}`);
      }
    },
  };
};

/** The id of no message. An append that expects it as the stream's last one stores nothing. */
const noMessage = 'no-message';

/**
 * The result of an earlier append of this id. A single server of 2.15 compares the expected sequence before the id, but
 * the last id after it. So an append that expects an impossible last id only asks. With several replicas, as on older
 * servers, the id comes first.
 */
const storedBefore = async (bus: Bus, subject: string, id: string): Promise<AppendResult | undefined> => {
  if (bus.replicas > 1) return undefined;
  try {
    const options = { msgID: id, expect: { lastMsgID: noMessage }, timeout: appendTimeoutMs };
    return await publishStored(bus, subject, { data: new Uint8Array(), options });
  } catch (error) {
    if (isWrongLastId(error)) return undefined;
    throw error;
  }
};

/** The text of an event. Its format is that of the newest release whose fields the state carries. */
const textOf = (event: StoredEvent, stream: StreamName): string => {
  const format = Math.max(eventFormats[stream].format, newerFormatOf(event.state) ?? 0);
  return stringifyCarried({ ...event, format });
};

const unreadableMax = 1_000;

/**
 * The last sequences of subjects whose last message is no event. The server expects that sequence in an append. A
 * forgotten one only costs a conflict, after which the entity is loaded again.
 */
const lastSequences = () => {
  const unreadable = new Map<string, { readonly eventSeq: number; readonly lastSeq: number }>();
  return {
    loaded: (subject: string, eventSeq: number, lastSeq: number): void => {
      if (eventSeq === lastSeq) return void unreadable.delete(subject);
      if (unreadable.size >= unreadableMax) unreadable.clear();
      unreadable.set(subject, { eventSeq, lastSeq });
    },
    /** The last sequence of a subject whose last event has this sequence. */
    after: (subject: string, eventSeq: number): number => {
      const known = unreadable.get(subject);
      return known?.eventSeq === eventSeq ? known.lastSeq : eventSeq;
    },
  };
};

/** The operator must free storage, so an immediate retry is useless. */
const storageFullError = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The storage is full, so the change was not saved. Try again later.', {
    cause,
    more: { retry_after_s: 10 },
  });

const outcomeOf = (cause: unknown, what: string): unknown =>
  cause instanceof UnreadableSubjectError || cause instanceof NewerEventError || isRefused(cause)
    ? cause
    : new UnknownOutcomeError(`no answer to ${what}`, { cause });
