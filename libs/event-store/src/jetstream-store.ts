import {
  type Bus,
  isPermissionViolation,
  isUnsendable,
  isWrongSequence,
  lastMessage,
  readEvent,
  streamOf,
} from '@almanac/bus';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { ConflictError, type EventStore, UnknownOutcomeError } from './event-store.js';

const appendTimeoutMs = 3_000;

/** The store on JetStream. Loads ask the stream's leader, so they see every acknowledged append. */
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
    try {
      const stored = await bus.js.publish(subject, Buffer.from(JSON.stringify(event)), {
        msgID: event.id,
        expect: { streamName: streamOf(subject), lastSubjectSequence: expectedSeq },
        timeout: appendTimeoutMs,
      });
      return stored.seq;
    } catch (cause) {
      if (isWrongSequence(cause)) throw new ConflictError(`${subject} has moved on from ${expectedSeq}`, { cause });
      throw outcomeOf(cause, `an append to ${subject}`);
    }
  },
});

/** What the server refused, or the client did not send, surely did not take place, and asking again cannot help. */
const outcomeOf = (cause: unknown, what: string): unknown => {
  const refused =
    isPermissionViolation(cause) ||
    isUnsendable(cause) ||
    (cause instanceof JetStreamApiError &&
      cause.status !== serverBusy &&
      // Its owner makes it: all services of a system start at once.
      cause.code !== JetStreamApiCodes.StreamNotFound);
  return refused ? cause : new UnknownOutcomeError(`no answer to ${what}`, { cause });
};

const serverBusy = 503;
