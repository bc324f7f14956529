import {
  type Bus,
  isRefused,
  isStorageFull,
  isWrongSequence,
  lastMessage,
  producerSpan,
  readEvent,
  publishStored,
  streamOf,
  requestContextHeaders,
} from '@almanac/bus';
import { DomainError } from '@almanac/contracts';
import { inSpan } from '@almanac/runtime';
import { ConflictError, type EventStore, UnknownOutcomeError } from './event-store.js';

const appendTimeoutMs = 3_000;

/** An event store on JetStream. Loads read from the stream's leader, so they include every acknowledged append. */
export const jetStreamStore = (bus: Bus): EventStore => ({
  load: async (subject, state) => {
    const message = await lastMessage(bus, streamOf(subject), subject).catch((cause: unknown) => {
      throw outcomeOf(cause, `a load of ${subject}`);
    });
    if (message === null) return undefined;
    const { event, seq } = readEvent(message, state);
    return { state: event.state, seq, event };
  },
  append: async (subject, event, expectedSeq) => {
    const stream = streamOf(subject);
    const spanOptions = () => producerSpan(stream, event.id);
    const publish = () =>
      publishStored(bus, subject, {
        data: Buffer.from(JSON.stringify(event)),
        options: {
          msgID: event.id,
          expect: { streamName: stream, lastSubjectSequence: expectedSeq },
          headers: requestContextHeaders(),
          timeout: appendTimeoutMs,
        },
      });
    try {
      const { seq, duplicate } = await inSpan(spanOptions, publish);
      return { seq, duplicate };
    } catch (cause) {
      if (isWrongSequence(cause)) throw new ConflictError(`${subject} has moved on from ${expectedSeq}`, { cause });
      throw isStorageFull(cause) ? storageFullError(cause) : outcomeOf(cause, `an append to ${subject}`);
    }
  },
});

/** The operator must free storage, so an immediate retry is useless. */
const storageFullError = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The storage is full, so the change was not saved. Try again later.', {
    cause,
    more: { retry_after_s: 10 },
  });

const outcomeOf = (cause: unknown, what: string): unknown =>
  isRefused(cause) ? cause : new UnknownOutcomeError(`no answer to ${what}`, { cause });
