import type { RpcContext } from '@almanac/bus/server';
import { type AccountState, type commerceRpc, DomainError, type InputOf, type OutputOf } from '@almanac/contracts';
import { loadAccount } from '../account/accounts.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { PersonRecords } from './person-records.js';

/**
 * Opens an account. An e-mail address has one account and is claimed first, so one of several concurrent calls wins. If
 * a crash left a claim without an account, the next call completes it. Throws `account_exists`.
 */
export const openAccount = async (
  commerce: CommerceContext,
  persons: PersonRecords,
  { account, plan, person }: InputOf<typeof commerceRpc.openAccount>,
  { remainingMs: timeoutMs }: RpcContext,
): Promise<OutputOf<typeof commerceRpc.openAccount>> => {
  const command = { type: 'open', plan, credits: commerce.terms.credits } as const;
  if (!person) return opened(await commerce.accounts.run(account, command, { timeoutMs }));
  const claimed = await persons.claim(person.email, account);
  if (await loadAccount(commerce.store, claimed)) {
    throw new DomainError('account_exists', `An account already uses this email address: ${claimed}.`);
  }
  await persons.put(claimed, person);
  return opened(await commerce.accounts.run(claimed, { ...command, onlyNew: true }, { timeoutMs }));
};

const opened = ({ account, plan }: AccountState) => ({ account, plan });
