import {
  type Bus,
  follow,
  followCurrent,
  type FollowOptions,
  lastMessage,
  lastMessageNearby,
  readEvent,
  type Running,
} from '@almanac/bus';
import type { StreamName } from '@almanac/contracts';
import type { z } from 'zod';
import type { Known } from './event-store.js';

export interface StateCacheOptions<State> {
  readonly stream: StreamName;
  /** The subjects whose events refresh what is kept; one pattern. */
  readonly filter: string;
  readonly state: z.ZodType<State>;
  /** Things kept; the one that was asked for longest ago goes first. */
  readonly max: number;
  /** Where a miss asks: the leader where an older answer could do harm, else any replica. */
  readonly ask: 'leader' | 'nearby';
  readonly onChange?: (subject: string, known: Known<State>) => void;
  readonly onUnreadable: FollowOptions<State>['onUnreadable'];
}

/** Current states of the things that were asked for, refreshed by their events: a second question costs no round trip. */
export interface StateCache<State> extends Running {
  get(subject: string): Promise<Known<State> | undefined>;
  /** Asks again whatever is kept, for who knows of a change whose event may still be on its way. */
  refresh(subject: string): Promise<Known<State> | undefined>;
}

export const stateCache = async <State>(bus: Bus, options: StateCacheOptions<State>): Promise<StateCache<State>> => {
  const kept = new Map<string, Known<State>>();
  const asking = new Map<string, Promise<Known<State> | undefined>>();
  const overtaken = new Map<string, Known<State>>();

  const following = await follow(bus, {
    stream: options.stream,
    filter: options.filter,
    from: 'new',
    state: options.state,
    onUnreadable: options.onUnreadable,
    onEvent: ({ subject, seq, event }) => {
      const known = { state: event.state, seq };
      const older = kept.get(subject);
      // What was asked for just now may be newer than an event that was on its way.
      if (older !== undefined && older.seq < seq) kept.set(subject, known);
      // An event that arrives while its subject is asked for may be newer than the answer.
      if (asking.has(subject)) overtaken.set(subject, known);
      options.onChange?.(subject, known);
    },
  });

  const load = async (subject: string): Promise<Known<State> | undefined> => {
    const last = options.ask === 'leader' ? lastMessage : lastMessageNearby;
    const message = await last(bus, options.stream, subject);
    const answered = message === null ? undefined : readEvent(message, options.state);
    const newer = overtaken.get(subject);
    const known =
      newer !== undefined && newer.seq >= (answered?.seq ?? 0)
        ? newer
        : answered && { state: answered.event.state, seq: answered.seq };
    if (known !== undefined) keep(subject, known);
    return known;
  };

  const keep = (subject: string, known: Known<State>): void => {
    kept.delete(subject);
    kept.set(subject, known);
    if (kept.size > options.max) dropOldest(kept);
  };

  const get = async (subject: string): Promise<Known<State> | undefined> => {
    const known = kept.get(subject);
    if (known !== undefined) {
      keep(subject, known);
      return known;
    }
    const begun = asking.get(subject);
    if (begun !== undefined) return begun;
    const asked = load(subject).finally(() => {
      asking.delete(subject);
      overtaken.delete(subject);
    });
    asking.set(subject, asked);
    return asked;
  };

  return {
    get,
    refresh: async (subject) => {
      // What is being asked for was asked before the change, maybe.
      await asking.get(subject)?.catch(() => undefined);
      kept.delete(subject);
      return get(subject);
    },
    stop: () => following.stop(),
  };
};

const dropOldest = (kept: Map<string, unknown>): void => {
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
};

export interface FollowedStates<State> extends Running {
  /** By subject; complete since the start, and current but for what is on its way. */
  readonly states: ReadonlyMap<string, State>;
}

/** All states under a pattern, in memory: for few things that are asked for often, such as series. */
export const followStates = async <State>(
  bus: Bus,
  options: Pick<StateCacheOptions<State>, 'stream' | 'filter' | 'state' | 'onUnreadable'>,
): Promise<FollowedStates<State>> => {
  const states = new Map<string, State>();
  const following = await followCurrent(bus, {
    ...options,
    onEvent: ({ subject, event }) => void states.set(subject, event.state),
  });
  return { states, stop: () => following.stop() };
};
