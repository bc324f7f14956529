import { randomUUID } from 'node:crypto';
import { type Bus, checkpointSubjects, follow, type Running, subjects, UnreadableSubjectError } from '@almanac/bus';
import {
  type AccountState,
  accountState,
  eventFormats,
  type OpenAccountsCheckpoint,
  openAccountsCheckpoint,
} from '@almanac/contracts';
import { ConflictError, type EventStore, type VersionedState } from '@almanac/event-store';
import { forEachConcurrent, type Logger } from '@almanac/runtime';
import { z } from 'zod';

export interface OpenAccounts extends Running {
  /** Accounts with an open reservation or checkout, or with a failed renewal. */
  readonly states: () => Iterable<AccountState>;
  /** How many of the events that this process must read it has read. */
  readonly progress: () => { readonly read: number; readonly stored: number };
  /** How far this process has read the stream. Null once it has all accounts. */
  readonly behind: () => string | null;
  /** Stores where the next process starts to read, if there are enough events since the last time. */
  readonly storeCheckpoint: () => Promise<void>;
}

export interface FollowOpenAccountsOptions {
  readonly log: Logger;
  readonly nowUs: () => number;
  readonly checkpointEveryMs: number;
  /** Events between two checkpoints. */
  readonly checkpointEvents?: number;
}

type OpenStates = Map<string, VersionedState<AccountState>>;

/**
 * Raise it when `isOpen` includes more. A checkpoint of another format is not used either: an older process may have
 * passed events that this one reads otherwise.
 */
const isOpenRule = 1;
const rule = `${eventFormats.EVT_COMMERCE.format}.${isOpenRule}`;
const concurrentLoads = 16;

/** Follows the open accounts for the sweeps, from the last checkpoint on. */
export const followOpenAccounts = async (
  bus: Bus,
  store: EventStore,
  { log, nowUs, checkpointEveryMs, checkpointEvents = 10_000 }: FollowOpenAccountsOptions,
): Promise<OpenAccounts> => {
  const stored = await store.load(checkpointSubjects.openAccounts, openAccountsCheckpoint);
  const checkpoint = stored?.state.rule === rule ? stored.state : undefined;
  const open = await loadOlder(store, checkpoint?.older ?? [], log);
  // A newer release can read it, so the next process must get it again.
  let unreadableSeq = Number.POSITIVE_INFINITY;
  const following = await follow(bus, {
    stream: 'EVT_COMMERCE',
    from: checkpoint === undefined ? 'first' : { seq: checkpoint.from },
    // Other subjects of an account share the stream and have other states. A filter over all accounts would cost the
    // server memory.
    state: z.unknown(),
    onUnreadable: (error, { subject, seq }) => {
      log.error({ err: error, subject, seq }, 'an event cannot be read');
      unreadableSeq = Math.min(unreadableSeq, seq);
    },
    onEvent: ({ subject, seq, event }) => {
      if (!isAccount(subject) || (open.get(subject)?.seq ?? 0) >= seq) return;
      const state = accountState.parse(event.state);
      if (isOpen(state)) open.set(subject, { state, seq });
      else open.delete(subject);
    },
  });
  const behind = (): string | null => {
    const { read, stored: total } = following.progress;
    return read < total ? `${read} of ${total} events read (${Math.floor((100 * read) / total)} %)` : null;
  };
  const storeCheckpoint = async (): Promise<void> => {
    if (behind() !== null) return;
    await appendCheckpoint(store, checkpointOf(open, Math.min(following.seq + 1, unreadableSeq)), {
      nowUs,
      checkpointEvents,
    });
  };
  const checkpoints = every(checkpointEveryMs, storeCheckpoint, (error) =>
    log.warn({ err: error }, 'the open accounts could not be stored; the next start reads more events'),
  );
  return {
    states: () => Array.from(open.values(), ({ state }) => state),
    progress: () => following.progress,
    behind,
    storeCheckpoint,
    stop: async () => {
      await checkpoints.stop();
      await following.stop();
    },
  };
};

/** Loaded before the stream is followed, so that no event is applied before an older state. */
const loadOlder = async (store: EventStore, accounts: readonly string[], log: Logger): Promise<OpenStates> => {
  const open: OpenStates = new Map();
  await forEachConcurrent(accounts, concurrentLoads, async (account) => {
    const subject = subjects.account(account);
    try {
      const loaded = await store.load(subject, accountState);
      if (loaded !== undefined && isOpen(loaded.state)) open.set(subject, { state: loaded.state, seq: loaded.seq });
    } catch (error) {
      if (!(error instanceof UnreadableSubjectError)) throw error;
      log.error({ err: error, account }, 'an account cannot be read');
    }
  });
  return open;
};

/**
 * Accounts that a checkpoint names. With more, it starts at the event of the next one. Even the longest ids stay below the
 * limit of a message.
 */
const olderMax = 3_000;

const checkpointOf = (open: OpenStates, endSeq: number): OpenAccountsCheckpoint => {
  const bySeq = [...open.values()].toSorted((a, b) => a.seq - b.seq);
  return {
    rule,
    from: Math.min(bySeq[olderMax]?.seq ?? endSeq, endSeq),
    older: bySeq.slice(0, olderMax).map(({ state }) => state.account),
  };
};

const appendCheckpoint = async (
  store: EventStore,
  state: OpenAccountsCheckpoint,
  { nowUs, checkpointEvents }: Required<Pick<FollowOpenAccountsOptions, 'nowUs' | 'checkpointEvents'>>,
): Promise<void> => {
  const last = await store.load(checkpointSubjects.openAccounts, openAccountsCheckpoint);
  // Another process may have stored one meanwhile.
  if (state.from - (last?.state.rule === rule ? last.state.from : 0) < checkpointEvents) return;
  const event = () =>
    ({
      id: randomUUID(),
      type: 'CheckpointStored',
      version: 1,
      time: nowUs(),
      account: null,
      data: {},
      state,
    }) as const;
  try {
    await store.append(checkpointSubjects.openAccounts, event(), last?.seq ?? 0);
    for (const subject of checkpointSubjects.ofConsumers) {
      const before = await store.load(subject, openAccountsCheckpoint);
      await store.append(subject, event(), before?.seq ?? 0);
    }
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
};

const isOpen = ({ checkout, reservations, subscription }: AccountState): boolean =>
  checkout !== null || Object.keys(reservations).length > 0 || subscription?.status === 'past_due';

const isAccount = (subject: string): boolean => subject.split('.').length === 3;

export interface Sweeping<Stale> {
  readonly everyMs: number;
  readonly stale: () => readonly Stale[];
  readonly close: (stale: Stale) => Promise<void>;
  /** The sweep continues with the next entry. */
  readonly onFailure: (error: unknown, stale: Stale) => void;
}

/** Closes stale entries at an interval. A slow round delays the next one. */
export const sweepEvery = <Stale>({ everyMs, stale, close, onFailure }: Sweeping<Stale>): Running => {
  let stopped = false;
  const round = async (): Promise<void> => {
    for (const one of stale()) {
      if (stopped) return;
      await close(one).catch((error: unknown) => onFailure(error, one));
    }
  };
  const rounds = every(everyMs, round);
  return {
    stop: () => {
      stopped = true;
      return rounds.stop();
    },
  };
};

/** Runs work at an interval. A slow run delays the next one. */
const every = (ms: number, work: () => Promise<void>, onFailure?: (error: unknown) => void): Running => {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error: unknown) => {
        if (onFailure === undefined) throw error;
        onFailure(error);
      })
      .finally(() => (running = undefined));
  }, ms);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
