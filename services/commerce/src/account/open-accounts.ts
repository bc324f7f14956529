import { randomUUID } from 'node:crypto';
import { type Bus, checkpointSubjects, follow, type Running, subjects } from '@almanac/bus';
import {
  type AccountState,
  accountState,
  eventFormats,
  type OpenAccount,
  type OpenAccountsCheckpoint,
  openAccountsCheckpoint,
} from '@almanac/contracts';
import { ConflictError, type EventStore } from '@almanac/event-store';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';

export interface OpenAccounts extends Running {
  /** Accounts with an open reservation or checkout, or with a failed renewal. */
  readonly accounts: () => readonly OpenAccount[];
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

/**
 * Raise it when `isOpen` includes more. A checkpoint of another format is not used either: an older process may have
 * passed events that this one reads otherwise.
 */
const isOpenRule = 1;
const rule = `${eventFormats.EVT_COMMERCE.format}.${isOpenRule}`;

/** Follows the open accounts for the sweeps, from the last checkpoint on. */
export const followOpenAccounts = async (
  bus: Bus,
  store: EventStore,
  { log, nowUs, checkpointEveryMs, checkpointEvents = 10_000 }: FollowOpenAccountsOptions,
): Promise<OpenAccounts> => {
  const stored = await store.load(checkpointSubjects.openAccounts, openAccountsCheckpoint);
  const checkpoint = stored?.state.rule === rule ? stored.state : undefined;
  const open = new Map(checkpoint?.open.map((one) => [subjects.account(one.account), one]));
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
      const account = openAccountOf(accountState.parse(event.state), seq);
      if (account === undefined) open.delete(subject);
      else open.set(subject, account);
    },
  });
  const behind = (): string | null => {
    const { read, stored: total } = following.progress;
    return read < total ? `${read} of ${total} events read (${Math.floor((100 * read) / total)} %)` : null;
  };
  const storeCheckpoint = async (): Promise<void> => {
    if (behind() !== null) return;
    await appendCheckpoint(store, checkpointOf([...open.values()], Math.min(following.seq + 1, unreadableSeq)), {
      nowUs,
      checkpointEvents,
    });
  };
  const checkpoints = every(checkpointEveryMs, storeCheckpoint, (error) =>
    log.warn({ err: error }, 'the open accounts could not be stored; the next start reads more events'),
  );
  return {
    accounts: () => [...open.values()],
    progress: () => following.progress,
    behind,
    storeCheckpoint,
    stop: async () => {
      await checkpoints.stop();
      await following.stop();
    },
  };
};

/** In characters. With the rest of the event and ids of several bytes each, it stays below the limit of a message. */
const checkpointSizeMax = 500_000;

/** It has the accounts whose events are oldest. If there are too many, it starts at the event of the next one. */
const checkpointOf = (accounts: readonly OpenAccount[], endSeq: number): OpenAccountsCheckpoint => {
  const bySeq = accounts.filter(({ seq }) => seq < endSeq).toSorted((a, b) => a.seq - b.seq);
  let size = 0;
  const tooMany = bySeq.findIndex((account) => (size += JSON.stringify(account).length) > checkpointSizeMax);
  const open = tooMany === -1 ? bySeq : bySeq.slice(0, tooMany);
  return { rule, from: bySeq[open.length]?.seq ?? endSeq, open, older: [] };
};

const appendCheckpoint = async (
  store: EventStore,
  state: OpenAccountsCheckpoint,
  { nowUs, checkpointEvents }: Required<Pick<FollowOpenAccountsOptions, 'nowUs' | 'checkpointEvents'>>,
): Promise<void> => {
  const last = await store.load(checkpointSubjects.openAccounts, openAccountsCheckpoint);
  // Another process may have stored one meanwhile.
  if (state.from - (last?.state.rule === rule ? last.state.from : 0) < checkpointEvents) return;
  const eventOf = (checkpoint: OpenAccountsCheckpoint) =>
    ({
      id: randomUUID(),
      type: 'CheckpointStored',
      version: 1,
      time: nowUs(),
      account: null,
      data: {},
      state: checkpoint,
    }) as const;
  try {
    await store.append(checkpointSubjects.openAccounts, eventOf(state), last?.seq ?? 0);
    for (const subject of checkpointSubjects.ofConsumers) {
      const before = await store.load(subject, openAccountsCheckpoint);
      await store.append(subject, eventOf({ ...state, open: [] }), before?.seq ?? 0);
    }
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
};

const openAccountOf = (
  { account, plan, checkout, reservations, subscription }: AccountState,
  seq: number,
): OpenAccount | undefined => {
  const reservedUs = Object.values(reservations).map(({ at_us }) => at_us);
  const isPastDue = subscription?.status === 'past_due' && plan !== 'free' && plan !== 'internal';
  if (checkout === null && reservedUs.length === 0 && !isPastDue) return undefined;
  return {
    account,
    seq,
    reservations: reservedUs.length,
    ...(reservedUs.length > 0 && { reserved_us: Math.min(...reservedUs) }),
    ...(checkout !== null && { checkout_us: checkout.at_us }),
    ...(isPastDue && { past_due_us: subscription.past_due_us ?? 0 }),
  };
};

const isAccount = (subject: string): boolean => subject.split('.').length === 3;

/** Whether something is open since this time or an earlier one. */
export const isBefore = (sinceUs: number | undefined, us: number): boolean => sinceUs !== undefined && sinceUs <= us;

export interface Sweeping<Stale> {
  readonly everyMs: number;
  /** Accounts that may have a stale entry. */
  readonly accounts: () => readonly OpenAccount[];
  /** Their stale entries, by their last events. */
  readonly stale: (account: string) => Promise<readonly Stale[]>;
  readonly close: (stale: Stale) => Promise<void>;
  /** The sweep continues with the next entry, or the next account. */
  readonly onFailure: (error: unknown, account: string, stale?: Stale) => void;
}

/** Closes stale entries at an interval. A slow round delays the next one. */
export const sweepEvery = <Stale>({ everyMs, accounts, stale, close, onFailure }: Sweeping<Stale>): Running => {
  let stopped = false;
  const sweep = async (account: string): Promise<void> => {
    for (const one of await stale(account)) {
      if (stopped) return;
      await close(one).catch((error: unknown) => onFailure(error, account, one));
    }
  };
  const round = async (): Promise<void> => {
    for (const { account } of accounts()) {
      if (stopped) return;
      await sweep(account).catch((error: unknown) => onFailure(error, account));
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
