import {
  type Bus,
  type EventMessage,
  follow,
  followCurrent,
  type FollowOptions,
  type LastEvent,
  lastEvent,
  type ReadFrom,
  type Running,
  type StreamPosition,
} from '@almanac/bus';
import type { StreamName } from '@almanac/contracts';
import type { z } from 'zod';
import type { VersionedState } from './event-store.js';

export interface StateCacheOptions<State> {
  readonly stream: StreamName;
  /** One subject pattern. Its events refresh cached states. */
  readonly filter: string;
  readonly state: z.ZodType<State>;
  /** Maximum number of cached entities. The least recently used one is dropped first. */
  readonly max: number;
  /**
   * Where a cache miss reads: the leader if an older state is harmful, otherwise any replica. `leader or replica`: an older
   * state may be shown while the leader does not answer, but it is not cached.
   */
  readonly readFrom: ReadFrom;
  /** Caches that an entity has no event, too. Only for subjects that no user chooses. Default: false. */
  readonly cachesMissing?: boolean;
  /** That an entity has no event is read again from a leader that a majority follows. For what users make. Default: false. */
  readonly confirmsMissing?: boolean;
  readonly onChange?: (subject: string, current: VersionedState<State>) => void;
  readonly onUnreadable: FollowOptions<State>['onUnreadable'];
}

/** Current states of requested entities, refreshed by their events, so that a repeated request needs no round trip. */
export interface StateCache<State> extends Running {
  get(subject: string): Promise<VersionedState<State> | undefined>;
  /** Reads the state again even if it is cached, after a change whose event may not have arrived. */
  refresh(subject: string): Promise<VersionedState<State> | undefined>;
}

export const stateCache = async <State>(bus: Bus, options: StateCacheOptions<State>): Promise<StateCache<State>> => {
  const entries = new Map<string, VersionedState<State> | undefined>();
  const inFlightLoads = new Map<string, Promise<VersionedState<State> | undefined>>();
  const eventsDuringLoad = new Map<string, VersionedState<State>>();

  const following = await follow(bus, {
    stream: options.stream,
    filter: options.filter,
    from: 'new',
    state: options.state,
    onUnreadable: options.onUnreadable,
    onEvent: ({ subject, seq, event }) => {
      const current = { state: event.state, seq };
      // A state that was just loaded may be newer than the event.
      if (entries.has(subject) && (entries.get(subject)?.seq ?? 0) < seq) entries.set(subject, current);
      // An event that arrives during a load may be newer than the loaded state.
      if (inFlightLoads.has(subject)) eventsDuringLoad.set(subject, current);
      options.onChange?.(subject, current);
    },
  });

  const load = async (subject: string): Promise<VersionedState<State> | undefined> => {
    const { message: loaded, fromReplica } = await readLast(bus, options, subject);
    const eventDuringLoad = eventsDuringLoad.get(subject);
    const current =
      eventDuringLoad !== undefined && eventDuringLoad.seq >= (loaded?.seq ?? 0)
        ? eventDuringLoad
        : loaded && { state: loaded.event.state, seq: loaded.seq };
    // Its later event may have arrived before, and would not come again.
    if (!fromReplica && (current !== undefined || options.cachesMissing === true)) put(subject, current);
    return current;
  };

  const put = (subject: string, current: VersionedState<State> | undefined): void => {
    entries.delete(subject);
    entries.set(subject, current);
    if (entries.size > options.max) dropOldest(entries);
  };

  const get = async (subject: string): Promise<VersionedState<State> | undefined> => {
    if (entries.has(subject)) {
      const current = entries.get(subject);
      put(subject, current);
      return current;
    }
    const inFlightLoad = inFlightLoads.get(subject);
    if (inFlightLoad !== undefined) return inFlightLoad;
    const pendingLoad = load(subject).finally(() => {
      inFlightLoads.delete(subject);
      eventsDuringLoad.delete(subject);
    });
    inFlightLoads.set(subject, pendingLoad);
    return pendingLoad;
  };

  return {
    get,
    refresh: async (subject) => {
      // A load in progress may have started before the change.
      await inFlightLoads.get(subject)?.catch(() => undefined);
      entries.delete(subject);
      return get(subject);
    },
    stop: () => following.stop(),
  };
};

/** A leader that was cut off does not know a new entity. */
const readLast = async <State>(
  bus: Bus,
  options: StateCacheOptions<State>,
  subject: string,
): Promise<LastEvent<State>> => {
  const last = await lastEvent(bus, { ...options, subject });
  const isFinal = last.message !== undefined || bus.replicas === 1 || options.confirmsMissing !== true;
  return isFinal ? last : lastEvent(bus, { ...options, subject, readFrom: 'majority' });
};

const dropOldest = (entries: Map<string, unknown>): void => {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
};

export interface StateReplica<State> extends Running {
  /** By subject. Complete from the start, and current except for events in transit. */
  readonly states: ReadonlyMap<string, State>;
  /** Stores a state received elsewhere, unless a newer one is stored. */
  put(subject: string, received: VersionedState<State>): void;
}

/** The states of a read model, which has every event up to a position. */
export interface StoredStates<State> {
  readonly position: StreamPosition;
  readonly states: ReadonlyMap<string, VersionedState<State>>;
}

export interface ReplicaOptions<State> extends Pick<
  StateCacheOptions<State>,
  'stream' | 'filter' | 'state' | 'onChange' | 'onUnreadable'
> {
  /** Where to start. Without it, each state is read from the stream, which takes seconds among millions of subjects. */
  readonly stored?: StoredStates<State> | undefined;
}

/** All states under a pattern, in memory. For few entities with many requests, such as series. */
export const replicateStates = async <State>(
  bus: Bus,
  { stored, ...options }: ReplicaOptions<State>,
): Promise<StateReplica<State>> => {
  const states = new Map<string, State>();
  const seqs = new Map<string, number>();
  const put = (subject: string, { state, seq }: VersionedState<State>): void => {
    if ((seqs.get(subject) ?? 0) >= seq) return;
    seqs.set(subject, seq);
    states.set(subject, state);
    options.onChange?.(subject, { state, seq });
  };
  const onEvent = ({ subject, seq, event }: EventMessage<State>): void => put(subject, { state: event.state, seq });
  if (stored !== undefined) for (const [subject, known] of stored.states) put(subject, known);
  const following =
    stored === undefined
      ? await followCurrent(bus, { ...options, onEvent })
      : await followAfter(bus, stored.position, { ...options, onEvent });
  return { states, put, stop: () => following.stop() };
};

/** When this resolves, `onEvent` has received every event after the position that was stored at the start. */
const followAfter = async <State>(
  bus: Bus,
  position: StreamPosition,
  options: Omit<FollowOptions<State>, 'from'>,
): Promise<Running> => {
  const following = await follow(bus, { ...options, from: { seq: Math.min(...position) + 1 } });
  await following.caughtUp;
  return following;
};
