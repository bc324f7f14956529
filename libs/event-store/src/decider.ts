import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, type StoredEvent } from '@almanac/contracts';
import type { z } from 'zod';
import { ConflictError, type EventStore, type VersionedState, UnknownOutcomeError } from './event-store.js';

/** A fact that a decision came to: the event without what the runner adds to it. */
export interface DomainEvent {
  readonly type: string;
  readonly data: unknown;
}

/**
 * How one kind of thing changes. Pure: the time and new ids arrive in the command.
 *
 * `decide` answers one fact, or null when the command changes nothing (it was done before); it throws a DomainError
 * when the command breaks a rule. `evolve` folds one fact into the state; both get undefined for a thing that is not.
 */
export interface Decider<State, Command, F extends DomainEvent> {
  readonly state: z.ZodType<State>;
  readonly decide: (command: Command, state: State | undefined) => F | null;
  readonly evolve: (state: State | undefined, domainEvent: F) => State;
}

export interface CommandEnvelope<Command, State> {
  readonly subject: string;
  readonly command: Command;
  /** The command's id, a UUID: a decision that is run again with it is stored once. */
  readonly id: string;
  /**
   * What was known of the thing a moment ago, null where it is surely new: what is decided on it is appended without a load,
   * and decided again where the thing has moved on. Only for a command that changes nothing the second time, since whether
   * its id was stored is not looked up.
   */
  readonly cachedState?: VersionedState<State> | null;
  readonly account: string | null;
  /** Integer microseconds. */
  readonly time: number;
  /** When to give up, in milliseconds from now. */
  readonly timeoutMs: number;
}

/** What came of it: the state now and its sequence; `changed` is false when the command changed nothing. */
export interface CommandResult<State> {
  readonly state: State;
  readonly seq: number;
  readonly changed: boolean;
}

const retryMsMax = 100;

/**
 * Runs a decision to its end: load, decide, append what was decided if nothing came between, else once more from the
 * start. When it is not known whether an append took place, the event's id tells.
 *
 * Throws the decider's DomainError; `conflict` when the time ran out with nothing written; `unavailable` when the store
 * does not answer: then the change may have been made, and the same id finds out.
 */
export const execute = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, F>,
  decision: CommandEnvelope<Command, State>,
): Promise<CommandResult<State> | undefined> => {
  const deadline = performance.now() + decision.timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const cachedState = attempt === 1 ? decision.cachedState : undefined;
      const domainEvent =
        cachedState === undefined ? null : decideOnCachedState(decider, decision.command, cachedState?.state);
      if (domainEvent !== null)
        return await append(store, decider, { decision, before: cachedState ?? undefined, domainEvent });
      const loaded = await store.load(decision.subject, decider.state);
      if (loaded?.event.id === decision.id) return { state: loaded.state, seq: loaded.seq, changed: true };
      return await decideOnce(store, decider, { decision, loaded });
    } catch (error) {
      if (!(error instanceof ConflictError || error instanceof UnknownOutcomeError)) throw error;
      const waitMs = Math.min(retryMsMax, 2 ** attempt) * (0.5 + Math.random());
      if (performance.now() + waitMs > deadline) throw errorAfterDeadline(error);
      await delay(waitMs);
    }
  }
};

const errorAfterDeadline = (cause: ConflictError | UnknownOutcomeError): DomainError =>
  cause instanceof ConflictError
    ? new DomainError(
        'conflict',
        'Other requests changed the same data at the same time, so this change was not saved. Try again in a few seconds.',
        { cause },
      )
    : new DomainError(
        'unavailable',
        'The server could not confirm that the change was saved. Try again in a few seconds.',
        { cause },
      );

/** Of a state that may be old nothing else counts: that nothing changes, or a rule is broken, is said of what is stored. */
const decideOnCachedState = <State, Command, F extends DomainEvent>(
  decider: Decider<State, Command, F>,
  command: Command,
  state: State | undefined,
): F | null => {
  try {
    return decider.decide(command, state);
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
};

/** Undefined only when the thing is not and the command leaves it so. */
const decideOnce = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, F>,
  { decision, loaded }: { decision: CommandEnvelope<Command, State>; loaded: VersionedState<State> | undefined },
): Promise<CommandResult<State> | undefined> => {
  const domainEvent = decider.decide(decision.command, loaded?.state);
  if (domainEvent === null) return loaded && { state: loaded.state, seq: loaded.seq, changed: false };
  return append(store, decider, { decision, before: loaded, domainEvent });
};

/** Appends what was decided on the state before it. */
const append = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, F>,
  {
    decision,
    before,
    domainEvent,
  }: { decision: CommandEnvelope<Command, State>; before: VersionedState<State> | undefined; domainEvent: F },
): Promise<CommandResult<State>> => {
  const state = decider.evolve(before?.state, domainEvent);
  const { id, time, account, subject } = decision;
  const event: StoredEvent<State> = {
    id,
    type: domainEvent.type,
    version: 1,
    time,
    account,
    data: domainEvent.data,
    state,
  };
  const seq = await store.append(subject, event, before?.seq ?? 0);
  // An older sequence than what was decided on: the event was stored by an earlier attempt and others came after it, so what
  // was decided now is not what is stored.
  if (before !== undefined && seq <= before.seq) return { state: before.state, seq: before.seq, changed: true };
  return { state, seq, changed: true };
};
