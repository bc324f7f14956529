import type { AccountState } from '@almanac/contracts';
import type { AccountCommand, AccountEvent } from './account.decider.js';

type Erased = Extract<AccountEvent, { type: 'PersonErased' }>;

/** Always records an event, so that the history shows the request. With its customer a paid plan ends too. */
export const erasePerson = (
  { record, customerId }: Extract<AccountCommand, { type: 'erase-person' }>,
  { plan, subscription }: AccountState,
): Erased => {
  const hasEnded = customerId !== null && subscription !== null && plan !== 'internal';
  return { type: 'PersonErased', data: { record, customer_id: customerId, plan: hasEnded ? 'free' : plan } };
};

export const personErased = (state: AccountState, { customer_id, plan }: Erased['data']): AccountState => {
  const after = { ...state, plan, erasures: state.erasures + 1 };
  return customer_id === null ? after : { ...after, customer_id: null, subscription: null, upgrade: null };
};
