import type { RpcContext } from '@almanac/bus/server';
import { type AccountName, type commerceRpc, DomainError, type OutputOf } from '@almanac/contracts';
import { loadAccount } from '../account/accounts.js';
import type { CommerceContext } from '../commerce-deps.js';
import { accountNamed } from './find-account.query.js';
import type { PersonRecords } from './person-records.js';

/**
 * Erases the person behind an account: first at the payment provider, then here. The account records it last. Every
 * step can be repeated, so after a crash the operator runs it again. Keys, unlocks and exports stay. A subscription
 * ends with its customer.
 */
export const eraseAccount = async (
  commerce: CommerceContext,
  persons: PersonRecords,
  name: AccountName,
  { remainingMs: timeoutMs }: RpcContext,
): Promise<OutputOf<typeof commerceRpc.eraseAccount>> => {
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
