import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type AccountState, accountState, DomainError } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import { countGrant } from '../metrics.js';
import { accountDecider, type AccountCommand } from './account.decider.js';

export interface RunOptions {
  readonly timeoutMs: number;
  /** Given where a crash may repeat the command. */
  readonly id?: string;
}

/** The accounts, and the way to change one. */
export interface Accounts {
  /** Throws `account_not_found`. */
  load(account: string): Promise<AccountState>;
  /** Throws what the decider throws, `conflict` and `unavailable`. */
  run(account: string, command: AccountCommand, options: RunOptions): Promise<AccountState>;
}

export const loadAccount = async (store: EventStore, account: string): Promise<AccountState | undefined> =>
  (await store.load(subjects.account(account), accountState))?.state;

/**
 * Commands of one account wait for each other in this process: fifty at once would decide again after each other's
 * events and take fifty times as long. Between processes the expected sequence decides.
 */
export const createAccounts = (store: EventStore, nowUs: () => number): Accounts => {
  const inTurn = turns();
  return {
    load: async (account) => {
      const state = await loadAccount(store, account);
      if (state === undefined) throw new DomainError('account_not_found', 'This account does not exist.');
      return state;
    },
    run: (account, command, { timeoutMs, id = randomUUID() }) => {
      const deadline = performance.now() + timeoutMs;
      return inTurn(account, async () => {
        const outcome = await execute(store, accountDecider(account), {
          subject: subjects.account(account),
          command,
          id,
          account,
          time: nowUs(),
          timeoutMs: deadline - performance.now(),
        });
        if (outcome === undefined) throw new Error('an account command left no account');
        const grant = grantOutcomes.get(command.type);
        if (outcome.changed && grant !== undefined) countGrant(grant);
        return outcome.state;
      });
    },
  };
};

const grantOutcomes = new Map<AccountCommand['type'], 'reserved' | 'confirmed' | 'released'>([
  ['reserve', 'reserved'],
  ['confirm', 'confirmed'],
  ['release', 'released'],
]);

/** Runs pieces of work of one name one after the other, in the order in which they were asked for. */
const turns = () => {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
};
