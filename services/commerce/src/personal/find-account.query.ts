import { type AccountName, type commerceRpc, DomainError, type OutputOf } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';
import type { PersonRecords } from './person-records.js';

export const findAccount = async (
  { accounts }: CommerceContext,
  persons: PersonRecords,
  name: AccountName,
): Promise<OutputOf<typeof commerceRpc.findAccount>> => {
  const account = await accountNamed(persons, name);
  const [state, person] = await Promise.all([accounts.load(account), persons.personOf(account)]);
  return { state, person };
};

/** Resolves an account id or e-mail address. Throws `account_not_found` without naming the address. */
export const accountNamed = async (persons: PersonRecords, name: AccountName): Promise<string> => {
  if ('account' in name) return name.account;
  const account = await persons.accountOf(name.email);
  if (account === null) throw new DomainError('account_not_found', 'No account has this email address.');
  return account;
};
