import type { HostedPayments } from '../payments.js';
import type { CommerceContext } from '../commerce-deps.js';

const nameMs = 5_000;

/** The provider's customer id of an account. The first call, and the first after an erasure, creates it. */
export const nameCustomer = async (
  { accounts }: CommerceContext,
  payments: HostedPayments,
  account: string,
): Promise<string> => {
  const { customer_id: known, erasures } = await accounts.load(account);
  if (known !== null) return known;
  const customerId = await payments.createCustomer(account, erasures);
  const named = await accounts.run(account, { type: 'name-customer', customerId }, { timeoutMs: nameMs });
  return named.customer_id ?? customerId;
};
