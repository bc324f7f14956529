import type { PortalResponse } from '@almanac/contracts';
import { nameCustomer } from '../account/customer.js';
import type { CommerceContext } from '../commerce-deps.js';

/** The customer's own page at the payment provider. In stub mode there is none. */
export const openPortal = async (shop: CommerceContext, account: string): Promise<PortalResponse> => {
  const { payments } = shop;
  if (payments.mode === 'stub') return { mode: 'stub', portal_url: null };
  const customerId = await nameCustomer(shop, payments, account);
  return { mode: 'stripe', portal_url: await payments.openPortal(customerId) };
};
