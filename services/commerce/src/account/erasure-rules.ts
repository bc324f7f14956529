import type { AccountState, PlanId } from '@almanac/contracts';

/** The personal record is erased. With `customerId`, the provider's customer and subscription ended too. */
export interface ErasePerson {
  readonly type: 'erase-person';
  readonly record: boolean;
  readonly customerId: string | null;
}

export interface PersonErased {
  readonly type: 'PersonErased';
  readonly data: { readonly record: boolean; readonly customer_id: string | null; readonly plan: PlanId };
}

/** Always records an event, so that the history shows the request. With its customer a paid plan ends too. */
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
