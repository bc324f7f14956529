import type { AccountName, commerceRpc } from '@almanac/contracts';
import { DomainError } from '@almanac/contracts';
import type { z } from 'zod';
import { loadAccount } from '../account/accounts.js';
import type { CommerceContext } from '../commerce-deps.js';
import type { PersonRecords } from './person-records.js';

/** Resolves an account id or e-mail address. Throws `account_not_found` without naming the address. */
export const accountNamed = async (persons: PersonRecords, name: AccountName): Promise<string> => {
  if ('account' in name) return name.account;
  const account = await persons.accountOf(name.email);
  if (account === null) throw new DomainError('account_not_found', 'No account has this email address.');
  return account;
};

/**
 * Erases the person behind an account: first at the payment provider, then here. The account records it last. Every
 * step can be repeated, so after a crash the operator runs it again. Keys, unlocks and exports stay. A subscription
 * ends with its customer.
 */
export const eraseAccount = async (
  { commerce, persons, timeoutMs }: { commerce: CommerceContext; persons: PersonRecords; timeoutMs: number },
  name: AccountName,
): Promise<z.input<typeof commerceRpc.eraseAccount.output>> => {
  const account = await accountNamed(persons, name);
  const state = await loadAccount(commerce.store, account);
  const customerId = state?.customer_id ?? null;
  if (customerId !== null) await deleteCustomer(commerce, customerId);
  const record = await persons.erase(account);
  if (state !== undefined) {
    await commerce.accounts.run(account, { type: 'erase-person', record, customerId }, { timeoutMs });
  } else if (!record) throw new DomainError('account_not_found', 'This account does not exist. Check the account id.');
  return { account, record, customer: customerId !== null };
};

const deleteCustomer = async ({ payments }: CommerceContext, customerId: string): Promise<void> => {
  if (payments.mode === 'stub') {
    const detail =
      'Nothing was erased. This account has a customer at the payment provider, but no payment provider is configured. Configure Stripe, then try again.';
    throw new DomainError('unavailable', detail);
  }
  await payments.deleteCustomer(customerId);
};
