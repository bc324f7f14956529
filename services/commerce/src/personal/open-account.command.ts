import { type AccountState, DomainError, type Person, type PlanId } from '@almanac/contracts';
import { loadAccount } from '../account/accounts.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { PersonRecords } from './person-records.js';

export interface Opening {
  readonly account: string;
  readonly plan: PlanId;
  readonly person: Person | null;
  readonly timeoutMs: number;
}

/**
 * Opens an account. An e-mail address has one account and is claimed first, so one of several concurrent calls wins. If
 * a crash left a claim without an account, the next call completes it. Throws `account_exists`.
 */
export const openAccount = async (
  commerce: CommerceContext,
  persons: PersonRecords,
  { account, plan, person, timeoutMs }: Opening,
): Promise<AccountState> => {
  const command = { type: 'open', plan, credits: commerce.terms.credits } as const;
  if (person === null) return commerce.accounts.run(account, command, { timeoutMs });
  const claimed = await persons.claim(person.email, account);
  if (await loadAccount(commerce.store, claimed)) {
    throw new DomainError('account_exists', `An account already uses this email address: ${claimed}.`);
  }
  await persons.put(claimed, person);
  return commerce.accounts.run(claimed, { ...command, onlyNew: true }, { timeoutMs });
};
