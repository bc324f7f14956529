import { DomainError, type StoredEvent } from '@almanac/contracts';
import type { z } from 'zod';

/** The state of one thing, and the sequence of the event that left it so, which an append expects. */
export interface VersionedState<State> {
  readonly state: State;
  readonly seq: number;
}

/** The same as stored just now, with that event. */
export interface LoadedState<State> extends VersionedState<State> {
  readonly event: StoredEvent<State>;
}

/** Another append came first: load again and decide again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/**
 * The store gave no answer (a time-out, a leader that changed, a stream that nobody has made yet). Whether an append took
 * place is not known: load again and look for the event's id. To a caller it is an outage, `unavailable`.
 */
export class UnknownOutcomeError extends DomainError {
  constructor(what: string, options: { cause?: unknown } = {}) {
    super('unavailable', 'The stored data is temporarily unavailable. Try again in a few seconds.', {
      cause: new Error(what, options),
    });
  }
}

/**
 * The truth: for each subject its events in order, the last one carrying the state.
 *
 * `append` stores one event if `expectedSeq` is still the subject's last (0: the subject has none) and answers its
 * sequence. Throws ConflictError, UnknownOutcomeError, and DomainError `unavailable` for want of room. Appending an event with the id of a stored one answers the
 * stored one's sequence, whatever is expected; the store on JetStream remembers ids for two minutes. `load` throws
 * UnknownOutcomeError, too.
 */
export interface EventStore {
  load<State>(subject: string, state: z.ZodType<State>): Promise<LoadedState<State> | undefined>;
  append(subject: string, event: StoredEvent, expectedSeq: number): Promise<number>;
}
