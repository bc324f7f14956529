import type { PortalResponse } from '@almanac/contracts';
import type { CommerceContext } from '../commerce-deps.js';
import { nameCustomer } from './customer.js';

/** The customer's own page at the payment provider. In stub mode there is none. */
export const openPortal = async (commerce: CommerceContext, account: string): Promise<PortalResponse> => {
  const { payments } = commerce;
  if (payments.mode === 'stub') return { mode: 'stub', portal_url: null };
  const customerId = await nameCustomer(commerce, payments, account);
  return { mode: 'stripe', portal_url: await payments.openPortal(customerId) };
};
