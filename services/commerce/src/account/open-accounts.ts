import { type Bus, follow, type Running } from '@almanac/bus';
import { type AccountState, accountState } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';

export interface OpenAccounts extends Running {
  /** Accounts with an open reservation or checkout, or with a failed renewal. */
  readonly states: () => Iterable<AccountState>;
  /** How far this process has read the stream. Null once it has all accounts. */
  readonly behind: () => string | null;
}

/** Follows the open accounts for the sweeps. */
export const followOpenAccounts = async (bus: Bus, log: Logger): Promise<OpenAccounts> => {
  const open = new Map<string, AccountState>();
  const following = await follow(bus, {
    stream: 'EVT_COMMERCE',
    from: 'first',
    // Other subjects of an account share the stream and have other states. A filter over all accounts would cost the
    // server memory.
    state: z.unknown(),
    onUnreadable: (error, { subject, seq }) => log.error({ err: error, subject, seq }, 'an event cannot be read'),
    onEvent: ({ subject, event }) => {
      if (!isAccount(subject)) return;
      const account = accountState.parse(event.state);
      if (isOpen(account)) open.set(subject, account);
      else open.delete(subject);
    },
  });
  const behind = (): string | null => {
    const { read, stored } = following.progress;
    return read < stored ? `${read} of ${stored} events read (${Math.floor((100 * read) / stored)} %)` : null;
  };
  return { states: () => open.values(), behind, stop: () => following.stop() };
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
  const round = async (): Promise<undefined> => {
    for (const one of stale()) {
      if (stopped) return;
      try {
        await close(one);
      } catch (error) {
        onFailure(error, one);
      }
    }
  };
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    sweeping ??= round().then(() => (sweeping = undefined));
  }, everyMs);
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
};
