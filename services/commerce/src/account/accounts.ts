import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type AccountState, accountState, DomainError } from '@almanac/contracts';
import { type EventStore, execute, type CommandResult } from '@almanac/event-store';
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
 * events and take fifty times as long. Each decides on what the one before it left, as long as they queue. Between processes
 * the expected sequence decides.
 */
export const createAccounts = (store: EventStore, nowUs: () => number): Accounts => {
  const inTurn = turns<CommandResult<AccountState>>();
  return {
    load: async (account) => {
      const state = await loadAccount(store, account);
      if (state === undefined)
        throw new DomainError('account_not_found', 'This account does not exist. Check the account id.');
      return state;
    },
    run: async (account, command, { timeoutMs, id = randomUUID() }) => {
      const deadline = performance.now() + timeoutMs;
      const grant = grantOutcomes.get(command.type);
      const { state } = await inTurn(account, async (previous) => {
        const outcome = await execute(store, accountDecider(account), {
          subject: subjects.account(account),
          command,
          id,
          ...(grant === undefined || previous === undefined ? {} : { cachedState: previous }),
          account,
          time: nowUs(),
          timeoutMs: deadline - performance.now(),
        });
        if (outcome === undefined) throw new Error('an account command left no account');
        if (outcome.changed && grant !== undefined) countGrant(grant);
        return outcome;
      });
      return state;
    },
  };
};

/** Of an account's commands these are many at once, and each of them changes nothing the second time. */
const grantOutcomes = new Map<AccountCommand['type'], 'reserved' | 'confirmed' | 'released'>([
  ['reserve', 'reserved'],
  ['confirm', 'confirmed'],
  ['release', 'released'],
]);

/**
 * Runs pieces of work of one name one after the other, in the order in which they were asked for. Each is told what the one
 * before it left, if that was still at work when it was asked for and came to its end.
 */
const turns = <Left>() => {
  const last = new Map<string, Promise<Left>>();
  return async (name: string, work: (previous: Left | undefined) => Promise<Left>): Promise<Left> => {
    const own = last.get(name)?.then(work, () => work(undefined)) ?? work(undefined);
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
};
