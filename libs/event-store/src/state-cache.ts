import {
  type Bus,
  follow,
  followCurrent,
  type FollowOptions,
  lastMessage,
  lastMessageFromReplica,
  readEvent,
  type Running,
} from '@almanac/bus';
import type { StreamName } from '@almanac/contracts';
import type { z } from 'zod';
import type { VersionedState } from './event-store.js';

export interface StateCacheOptions<State> {
  readonly stream: StreamName;
  /** The subjects whose events refresh what is kept; one pattern. */
  readonly filter: string;
  readonly state: z.ZodType<State>;
  /** Things kept; the one that was asked for longest ago goes first. */
  readonly max: number;
  /** Where a miss asks: the leader where an older answer could do harm, else any replica. */
  readonly readFrom: 'leader' | 'replica';
  readonly onChange?: (subject: string, current: VersionedState<State>) => void;
  readonly onUnreadable: FollowOptions<State>['onUnreadable'];
}

/** Current states of the things that were asked for, refreshed by their events: a second question costs no round trip. */
export interface StateCache<State> extends Running {
  get(subject: string): Promise<VersionedState<State> | undefined>;
  /** Asks again whatever is kept, for who knows of a change whose event may still be on its way. */
  refresh(subject: string): Promise<VersionedState<State> | undefined>;
}

export const stateCache = async <State>(bus: Bus, options: StateCacheOptions<State>): Promise<StateCache<State>> => {
  const entries = new Map<string, VersionedState<State>>();
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
      const cached = entries.get(subject);
      // What was asked for just now may be newer than an event that was on its way.
      if (cached !== undefined && cached.seq < seq) entries.set(subject, current);
      // An event that arrives while its subject is asked for may be newer than the answer.
      if (inFlightLoads.has(subject)) eventsDuringLoad.set(subject, current);
      options.onChange?.(subject, current);
    },
  });

  const load = async (subject: string): Promise<VersionedState<State> | undefined> => {
    const last = options.readFrom === 'leader' ? lastMessage : lastMessageFromReplica;
    const message = await last(bus, options.stream, subject);
    const loaded = message === null ? undefined : readEvent(message, options.state);
    const eventDuringLoad = eventsDuringLoad.get(subject);
    const current =
      eventDuringLoad !== undefined && eventDuringLoad.seq >= (loaded?.seq ?? 0)
        ? eventDuringLoad
        : loaded && { state: loaded.event.state, seq: loaded.seq };
    if (current !== undefined) put(subject, current);
    return current;
  };

  const put = (subject: string, current: VersionedState<State>): void => {
    entries.delete(subject);
    entries.set(subject, current);
    if (entries.size > options.max) dropOldest(entries);
  };

  const get = async (subject: string): Promise<VersionedState<State> | undefined> => {
    const current = entries.get(subject);
    if (current !== undefined) {
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
      // What is being asked for was asked before the change, maybe.
      await inFlightLoads.get(subject)?.catch(() => undefined);
      entries.delete(subject);
      return get(subject);
    },
    stop: () => following.stop(),
  };
};

const dropOldest = (entries: Map<string, unknown>): void => {
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
};

export interface StateReplica<State> extends Running {
  /** By subject; complete since the start, and current but for what is on its way. */
  readonly states: ReadonlyMap<string, State>;
}

/** All states under a pattern, in memory: for few things that are asked for often, such as series. */
export const replicateStates = async <State>(
  bus: Bus,
  options: Pick<StateCacheOptions<State>, 'stream' | 'filter' | 'state' | 'onUnreadable'>,
): Promise<StateReplica<State>> => {
  const states = new Map<string, State>();
  const following = await followCurrent(bus, {
    ...options,
    onEvent: ({ subject, event }) => void states.set(subject, event.state),
  });
  return { states, stop: () => following.stop() };
};
