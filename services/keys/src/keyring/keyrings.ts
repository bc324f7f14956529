import { randomUUID } from 'node:crypto';
import { type KeyMarks, lastEvent, subjects } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import {
  accountState,
  DomainError,
  type KeyringState,
  keyringState,
  type PlanId,
  type StoredKey,
} from '@almanac/contracts';
import { type CommandResult, execute } from '@almanac/event-store';
import { unixMicros } from '@almanac/runtime';
import type { KeysDeps } from '../keys-deps.js';
import { type KeyringCommand, keyringDecider } from './keyring.decider.js';

type Store = Pick<KeysDeps, 'store'>;
type Changed = Pick<KeysDeps, 'store' | 'marks' | 'changes'>;

export const loadKeyring = ({ store }: Store, account: string) => store.load(subjects.keyring(account), keyringState);

/** For a list. While EVT_KEYS has no leader, it may lack the last change. No key is checked with it. */
export const showKeyring = ({ store }: Store, account: string) =>
  store.loadToShow(subjects.keyring(account), keyringState);

/** Undefined if the account does not exist. Like `showKeyring`, it may be older. */
export const showPlan = async ({ store }: Store, account: string): Promise<PlanId | undefined> =>
  (await store.loadToShow(subjects.account(account), accountState))?.state.plan;

/** Undefined if the account does not exist. */
export const planOf = async ({ store }: Store, account: string): Promise<PlanId | undefined> =>
  (await store.load(subjects.account(account), accountState))?.state.plan;

/** What a check of a key needs. */
export interface CheckedAccount {
  readonly keyring: KeyringState | undefined;
  readonly plan: PlanId | undefined;
  /** From a replica. A change whose command is not yet answered may be missing, and the plan may be older. */
  readonly provisional: boolean;
}

/** From the leaders, with every change that was stored. */
export const currentAccount = async (deps: Store, account: string): Promise<CheckedAccount> => {
  const [loaded, plan] = await Promise.all([loadKeyring(deps, account), planOf(deps, account)]);
  return { keyring: loaded?.state, plan, provisional: false };
};

const confirmMs = 2_000;

/** As `currentAccount`, for an answer that a key is not there: a leader that was cut off does not know a new one. */
export const confirmedAccount = async ({ store }: Store, account: string): Promise<CheckedAccount> => {
  const keyring = await store.confirmed(subjects.keyring(account), keyringState, undefined);
  const holder = keyring && (await store.confirmed(subjects.account(account), accountState, undefined));
  return { keyring: keyring?.state, plan: holder?.state.plan, provisional: false };
};

/** Heartbeats ask all the time. Servers choose another leader 4 s after they last heard from theirs, or later. */
const [requestedWithinMs, leaderMs] = [1_000, 3_000];

/**
 * What is read while a majority is there. A leader that was cut off reads what it had, for up to 10 s, and a key may have been revoked
 * since. A majority that answers after the read proves nothing: the leader may have been cut off until then. Throws `unavailable`.
 */
export const withMajority = async (marks: KeyMarks, read: () => Promise<CheckedAccount>): Promise<CheckedAccount> => {
  const requestedAt = await marks.majorityWithin(requestedWithinMs, confirmMs).catch(cannotCheck);
  const account = await read();
  // Its replica has the mark of a majority.
  if (account.provisional || performance.now() - requestedAt < leaderMs) return account;
  return cannotCheck(new Error('the read took too long after the answer of a majority'));
};

const cannotCheck = (cause: unknown): never => {
  throw new DomainError('unavailable', 'The key cannot be checked. Try again in a few seconds.', { cause });
};

/**
 * As the leaders, or while they do not answer with every revocation that was answered before this call: the mark of a majority of the
 * servers has it, and a replica counts that has everything up to the mark.
 */
export const accountWithoutLeader = async (
  { bus, marks }: Pick<KeysDeps, 'bus'> & { readonly marks: KeyMarks },
  account: string,
): Promise<CheckedAccount> => {
  const [keys, commerce] = await Promise.all([
    lastEvent(bus, {
      stream: 'EVT_KEYS',
      subject: subjects.keyring(account),
      state: keyringState,
      readFrom: { upTo: () => marks.confirm(confirmMs).mark },
    }),
    lastEvent(bus, {
      stream: 'EVT_COMMERCE',
      subject: subjects.account(account),
      state: accountState,
      readFrom: 'leader or replica',
    }),
  ]);
  return {
    keyring: keys.message?.event.state,
    plan: commerce.message?.event.state.plan,
    provisional: keys.fromReplica || commerce.fromReplica,
  };
};

/**
 * Undefined if the account has no keyring after the command. What ends a key or a session is marked before it is answered,
 * also if an earlier command ended it, because that one may have had no answer.
 */
export const runCommand = async (
  { store, marks, changes }: Changed,
  command: KeyringCommand,
  { caller: account, remainingMs }: RpcContext,
): Promise<CommandResult<KeyringState> | undefined> => {
  const deadline = performance.now() + remainingMs;
  const result = await execute(store, keyringDecider(account), {
    subject: subjects.keyring(account),
    command,
    id: randomUUID(),
    account,
    time: unixMicros(),
    timeoutMs: remainingMs,
  });
  if (result?.changed === true) changes.add(result.seq, account);
  if (result !== undefined && command.type !== 'create')
    await marks?.mark(result.seq, deadline - performance.now()).catch((cause: unknown) => {
      throw new DomainError('unavailable', notMarked, { cause });
    });
  return result;
};

const notMarked =
  'The change is saved, but some gateways may not know it for a few seconds. Try again to be sure that it took effect.';

/** The key after a command that creates or revokes it. */
export const changeKey = async (
  deps: Changed,
  command: Extract<KeyringCommand, { type: 'create' | 'revoke' }>,
  context: RpcContext,
): Promise<StoredKey> => {
  const id = command.type === 'create' ? command.key.id : command.id;
  const key = (await runCommand(deps, command, context))?.state.keys.find((candidate) => candidate.id === id);
  if (key === undefined) throw new Error(`no key ${id} after writing it`);
  return key;
};
