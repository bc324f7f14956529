import { setTimeout as delay } from 'node:timers/promises';
import { carryOver, DomainError, type StoredEvent } from '@almanac/contracts';
import { backoffMs } from '@almanac/runtime';
import type { z } from 'zod';
import {
  ConflictError,
  type EventStore,
  type LoadedState,
  type VersionedState,
  UnknownOutcomeError,
} from './event-store.js';

/** The result of a decision, without the fields that `execute` adds. */
export interface DomainEvent {
  readonly type: string;
  readonly data: unknown;
}

/**
 * The rules of one kind of entity. Pure: the time and new ids are part of the command.
 *
 * `decide` returns one domain event, or null if the command changes nothing, for example because it was done before.
 * It throws a DomainError if the command breaks a rule. `evolve` applies one domain event to the state. Both get
 * undefined for an entity that does not exist.
 */
export interface Decider<State, Command, F extends DomainEvent> {
  readonly state: z.ZodType<State>;
  readonly decide: (command: Command, state: State | undefined) => F | null;
  readonly evolve: (state: State | undefined, domainEvent: F) => State;
}

export interface CommandEnvelope<Command, State> {
  readonly subject: string;
  readonly command: Command;
  /** The command's id, a UUID. An event with the same id is stored once, however often the decision runs. */
  readonly id: string;
  /**
   * A recently read state, or null for an entity that is certainly new. The decision is appended without a load, and
   * repeated if the entity has changed since. Only for idempotent commands, because it is not checked whether the id
   * is already stored.
   */
  readonly cachedState?: VersionedState<State> | null;
  readonly account: string | null;
  /** Integer microseconds. */
  readonly time: number;
  /** Time limit in milliseconds from now. */
  readonly timeoutMs: number;
}

/** The state after the command and its sequence. `changed` is false if the command changed nothing. */
export interface CommandResult<State> {
  readonly state: State;
  readonly seq: number;
  readonly changed: boolean;
}

const retryMsMax = 100;

/**
 * Loads the state, decides, and appends the event. If another event was appended in between, it starts again. If the
 * outcome of an append is unknown, it looks up the event's id.
 *
 * Throws the decider's DomainError; `conflict` if the time is up and nothing was written; `unavailable` if the store
 * does not answer. In the last case the change may have been stored; a retry with the same id finds out. Also
 * `unavailable`, without a change, if the entity's last event needs a newer release.
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
      if (loaded?.newer !== undefined) throw loaded.newer;
      return await decideOnce(store, decider, { decision, loaded });
    } catch (error) {
      if (!(error instanceof ConflictError || error instanceof UnknownOutcomeError)) throw error;
      const waitMs = backoffMs(attempt, { firstMs: 1, mostMs: retryMsMax });
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

/** A cached state may be old. "No change" and a broken rule are therefore decided on the stored state only. */
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

/** Undefined only if the entity does not exist and the command does not create it. */
const decideOnce = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, F>,
  { decision, loaded }: Decided<State, Command>,
): Promise<CommandResult<State> | undefined> => {
  const domainEvent = await decideOnCurrent(store, decider, { decision, loaded });
  if (domainEvent === null) return loaded && { state: loaded.state, seq: loaded.seq, changed: false };
  return append(store, decider, { decision, before: loaded, domainEvent });
};

/** An append proves that the state is the last one. A refusal and "no change" need another proof. */
const decideOnCurrent = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, F>,
  { decision, loaded }: Decided<State, Command>,
): Promise<F | null> => {
  let domainEvent: F | null;
  try {
    domainEvent = decider.decide(decision.command, loaded?.state);
  } catch (error) {
    if (error instanceof DomainError) await requireCurrent(store, decider, { decision, loaded });
    throw error;
  }
  // Without an account nobody sees the difference: the command might as well have come earlier.
  if (domainEvent === null && decision.account !== null) await requireCurrent(store, decider, { decision, loaded });
  return domainEvent;
};

interface Decided<State, Command> {
  readonly decision: CommandEnvelope<Command, State>;
  readonly loaded: LoadedState<State> | undefined;
}

/** Throws ConflictError. */
const requireCurrent = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  { state }: Decider<State, Command, F>,
  { decision: { subject }, loaded }: Decided<State, Command>,
): Promise<void> => {
  const confirmed = await store.confirmed(subject, state, loaded);
  if (confirmed?.seq !== loaded?.seq) throw new ConflictError(`${subject} was read from a leader that was cut off`);
};

const append = async <State, Command, F extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, F>,
  {
    decision,
    before,
    domainEvent,
  }: { decision: CommandEnvelope<Command, State>; before: VersionedState<State> | undefined; domainEvent: F },
): Promise<CommandResult<State>> => {
  const state = carryOver(before?.state, decider.evolve(before?.state, domainEvent));
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
  const { seq, duplicate } = await store.append(subject, event, before?.seq ?? 0);
  if (!duplicate) return { state, seq, changed: true };
  // An earlier attempt stored the event, perhaps decided on another state, and others may have followed.
  const stored = await store.load(subject, decider.state);
  if (stored === undefined) throw new Error(`the event ${id} is stored, but not as an event of ${subject}`);
  return { state: stored.state, seq: stored.seq, changed: true };
};
