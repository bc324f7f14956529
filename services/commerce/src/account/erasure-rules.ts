import type { AccountState, PlanId } from '@almanac/contracts';

/** The person is erased, and the customer, if there is one, is deleted at the provider; its subscription ends with it. */
export interface ErasePerson {
  readonly type: 'erase-person';
  readonly record: boolean;
  readonly customerId: string | null;
}

export interface PersonErased {
  readonly type: 'PersonErased';
  readonly data: { readonly record: boolean; readonly customer_id: string | null; readonly plan: PlanId };
}

/**
 * Recorded also when there was nothing to erase: the operator asked, and the history tells what was done. With its
 * customer a subscription has ended, and so has the plan that it paid for.
 */
export const erasePerson = (
  { record, customerId }: ErasePerson,
  { plan, subscription }: AccountState,
): PersonErased => {
  const hasEnded = customerId !== null && subscription !== null && plan !== 'internal';
  return { type: 'PersonErased', data: { record, customer_id: customerId, plan: hasEnded ? 'free' : plan } };
};

export const personErased = (state: AccountState, { customer_id, plan }: PersonErased['data']): AccountState => {
  const after = { ...state, plan, erasures: state.erasures + 1 };
  return customer_id === null ? after : { ...after, customer_id: null, subscription: null, upgrade: null };
};
