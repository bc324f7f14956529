import { DomainError, type StoredEvent } from '@almanac/contracts';
import type { z } from 'zod';

/** The state of an entity and the sequence of its last event, which an append expects. */
export interface VersionedState<State> {
  readonly state: State;
  readonly seq: number;
}

/** A state just read from the store, with its last event. */
export interface LoadedState<State> extends VersionedState<State> {
  readonly event: StoredEvent<State>;
  /** A later event needs a newer release. Queries may answer with this state, but nothing may be decided on it. */
  readonly newer?: DomainError | undefined;
}

/** A state that is only shown. */
export interface ShownState<State> extends VersionedState<State> {
  /** The leader did not answer, so later changes may be missing. It must not be cached. */
  readonly fromReplica?: true;
}

/** Another append came first. Load and decide again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/**
 * The store did not answer (a timeout, a new leader, a stream that does not exist yet), so it is unknown whether the
 * append took place. Load again and look for the event's id. Callers see the outage as `unavailable`.
 */
export class UnknownOutcomeError extends DomainError {
  constructor(what: string, options: { cause?: unknown } = {}) {
    super('unavailable', 'The stored data is temporarily unavailable. Try again in a few seconds.', {
      cause: new Error(what, options),
    });
  }
}

/**
 * The sequence of the event. `duplicate`: an event with this id was already stored there, whatever sequence this append
 * expected, and this append stored nothing. The JetStream store remembers ids for two minutes.
 */
export interface AppendResult {
  readonly seq: number;
  readonly duplicate: boolean;
}

/**
 * The source of truth: the events of each subject in order. The last one holds the state.
 *
 * `append` stores one event if `expectedSeq` is the sequence of the subject's last event (0: no event). A message that is
 * no event does not count, and a load skips it. Throws ConflictError, UnknownOutcomeError, and DomainError `unavailable`
 * without storage capacity. `load` and `confirmed` can throw UnknownOutcomeError, too.
 */
export interface EventStore {
  load<State>(subject: string, state: z.ZodType<State>): Promise<LoadedState<State> | undefined>;
  /**
   * What was loaded, read again if a leader that was cut off may have answered. For an answer that stores nothing, such as a
   * refusal: no append would fail if the state was old.
   */
  confirmed<State>(
    subject: string,
    state: z.ZodType<State>,
    loaded: LoadedState<State> | undefined,
  ): Promise<LoadedState<State> | undefined>;
  /**
   * A state that is only shown. While a stream has no leader, it may lack the last changes. Nothing may be decided on it, and
   * no key may be checked with it.
   */
  loadToShow<State>(subject: string, state: z.ZodType<State>): Promise<ShownState<State> | undefined>;
  append(subject: string, event: StoredEvent, expectedSeq: number): Promise<AppendResult>;
}

/** As `load`. A state that lacks what a caller asks for is confirmed, so that nobody is told that something new does not exist. */
export const loadOrConfirm = async <State>(
  store: EventStore,
  {
    subject,
    state,
    has = () => true,
  }: {
    readonly subject: string;
    readonly state: z.ZodType<State>;
    readonly has?: (state: State) => boolean;
  },
): Promise<LoadedState<State> | undefined> => {
  const loaded = await store.load(subject, state);
  return loaded !== undefined && has(loaded.state) ? loaded : store.confirmed(subject, state, loaded);
};
