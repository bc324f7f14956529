import { randomUUID } from 'node:crypto';
import { subjects } from '@almanac/bus';
import { type AccountState, accountState, DomainError } from '@almanac/contracts';
import {
  type EventStore,
  execute,
  type CommandResult,
  type LoadedState,
  type VersionedState,
} from '@almanac/event-store';
import { countGrant } from '../metrics.js';
import { accountDecider, type AccountCommand } from './account.decider.js';

export interface RunOptions {
  readonly timeoutMs: number;
  /** Set it if a crash can repeat the command. */
  readonly id?: string;
  /** The state that the caller has just loaded. A grant is first decided on it. */
  readonly loaded?: VersionedState<AccountState>;
}

export interface Accounts {
  /** Throws `account_not_found`. */
  load(account: string): Promise<AccountState>;
  /** The same for an answer that only shows it: also without the leader of the stream. */
  show(account: string): Promise<AccountState>;
  /** The same with its sequence, for `run`. */
  loadVersion(account: string): Promise<VersionedState<AccountState>>;
  /** Throws what the decider throws, `conflict` and `unavailable`. */
  run(account: string, command: AccountCommand, options: RunOptions): Promise<AccountState>;
}

const loadVersion = (store: EventStore, account: string): Promise<LoadedState<AccountState> | undefined> =>
  store.load(subjects.account(account), accountState);

export const loadAccount = async (store: EventStore, account: string): Promise<AccountState | undefined> =>
  (await loadVersion(store, account))?.state;

/**
 * In this process, commands of one account run one after the other. Fifty at once would conflict and retry, and take
 * fifty times as long. A queued command decides on the state that the previous one left. Between processes the expected
 * sequence decides.
 */
export const createAccounts = (store: EventStore, nowUs: () => number): Accounts => {
  const inTurn = turns<CommandResult<AccountState>>();
  const loadKnown = async (account: string): Promise<VersionedState<AccountState>> =>
    known(await loadVersion(store, account));
  return {
    load: async (account) => (await loadKnown(account)).state,
    show: async (account) => known(await store.loadToShow(subjects.account(account), accountState)).state,
    loadVersion: loadKnown,
    run: async (account, command, { timeoutMs, id = randomUUID(), loaded }) => {
      const deadline = performance.now() + timeoutMs;
      const grant = grantOutcomes.get(command.type);
      const { state } = await inTurn(account, async (previous = loaded) => {
        // Nobody waits for it any more, and a grant that nobody uses would hold its place until the sweep.
        if (performance.now() >= deadline) throw tooLate();
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

const known = (loaded: VersionedState<AccountState> | undefined): VersionedState<AccountState> => {
  if (loaded === undefined)
    throw new DomainError('account_not_found', 'This account does not exist. Check the account id.');
  return loaded;
};

const tooLate = (): DomainError =>
  new DomainError('unavailable', 'Earlier requests of this account took too long, so nothing was changed. Try again.');

/** These commands come in large numbers for one account, and repeating one changes nothing. */
const grantOutcomes = new Map<AccountCommand['type'], 'reserved' | 'confirmed' | 'released'>([
  ['reserve', 'reserved'],
  ['confirm', 'confirmed'],
  ['release', 'released'],
]);

/** Runs work of one name in call order. Queued work gets the result of the previous run if that succeeded. */
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
