import {
  type AccountState,
  accountState,
  type CartLine,
  DomainError,
  isAbove,
  type OpenCheckout,
  type OpenUpgrade,
  type PlanId,
  type Reservation,
  type Subscription,
} from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';
import { addLine, beginCheckout, checkoutClosed, closeCheckout, removeLines } from './cart-rules.js';
import { type ErasePerson, erasePerson, type PersonErased, personErased } from './erasure-rules.js';
import { type Claim, dayOf, fingerprintOf, grantOf, type Now } from './grants.js';

export type AccountCommand =
  /** Opening it again with the same plan changes nothing; with `onlyNew` it is refused. */
  | { readonly type: 'open'; readonly plan: PlanId; readonly credits: number; readonly onlyNew?: boolean }
  | { readonly type: 'change-plan'; readonly plan: PlanId }
  /** An upgrade that came late never takes a higher plan away. */
  | { readonly type: 'raise-plan'; readonly plan: PlanId }
  | ({ readonly type: 'reserve'; readonly exportId: string; readonly now: Now } & Claim)
  | { readonly type: 'confirm'; readonly exportId: string }
  | { readonly type: 'release'; readonly exportId: string; readonly reason: string }
  | { readonly type: 'add-line'; readonly line: CartLine }
  | { readonly type: 'remove-lines'; readonly events: readonly string[] }
  /** Changes nothing while a checkout is open, or when the cart does not hold these events any more. */
  | { readonly type: 'begin-checkout'; readonly checkout: OpenCheckout }
  | { readonly type: 'close-checkout'; readonly id: string; readonly events: readonly string[] }
  /** Changes nothing when the account's upgrade is another one than `instead`. */
  | { readonly type: 'begin-upgrade'; readonly upgrade: OpenUpgrade; readonly instead: string | null }
  /** The first name stays. */
  | { readonly type: 'name-customer'; readonly customerId: string }
  | { readonly type: 'change-subscription'; readonly subscription: Subscription | null; readonly plan: PlanId }
  | ErasePerson;

export type AccountEvent =
  | { readonly type: 'AccountOpened'; readonly data: { readonly plan: PlanId; readonly credits: number } }
  | { readonly type: 'PlanChanged'; readonly data: { readonly plan: PlanId } }
  | { readonly type: 'GrantReserved'; readonly data: Reservation & { readonly export_id: string } }
  | { readonly type: 'GrantConfirmed'; readonly data: { readonly export_id: string } }
  | { readonly type: 'GrantReleased'; readonly data: { readonly export_id: string; readonly reason: string } }
  | { readonly type: 'CartLineAdded'; readonly data: CartLine }
  | { readonly type: 'CartLinesRemoved'; readonly data: { readonly events: string[] } }
  | { readonly type: 'CheckoutBegun'; readonly data: OpenCheckout }
  | { readonly type: 'CheckoutClosed'; readonly data: { readonly id: string; readonly events: readonly string[] } }
  | { readonly type: 'UpgradeBegun'; readonly data: OpenUpgrade }
  | { readonly type: 'CustomerNamed'; readonly data: { readonly customer_id: string } }
  | {
      readonly type: 'SubscriptionChanged';
      readonly data: { readonly subscription: Subscription | null; readonly plan: PlanId };
    }
  | PersonErased;

/** One account: its plan, credits, cart, today's exports and what its exports have claimed but not yet used. */
export const accountDecider = (account: string): Decider<AccountState, AccountCommand, AccountEvent> => ({
  state: accountState,
  decide: (command, state) => {
    if (command.type === 'open') return open(command, state);
    if (state === undefined)
      throw new DomainError('account_not_found', 'This account does not exist. Check the account id.');
    return decide(command, state);
  },
  evolve: (state, domainEvent) => {
    if (domainEvent.type === 'AccountOpened') return opened(account, domainEvent.data);
    if (state === undefined) throw new Error(`${domainEvent.type} of an account that was never opened`);
    return evolve(state, domainEvent);
  },
});

const decide = (command: Exclude<AccountCommand, { type: 'open' }>, state: AccountState): AccountEvent | null => {
  switch (command.type) {
    case 'change-plan':
      return command.plan === state.plan ? null : { type: 'PlanChanged', data: { plan: command.plan } };
    case 'raise-plan':
      return isAbove(command.plan, state.plan) ? { type: 'PlanChanged', data: { plan: command.plan } } : null;
    case 'reserve':
      return reserve(command, state);
    case 'confirm':
      if (!(command.exportId in state.reservations)) return null;
      return { type: 'GrantConfirmed', data: { export_id: command.exportId } };
    case 'release':
      if (!(command.exportId in state.reservations)) return null;
      return { type: 'GrantReleased', data: { export_id: command.exportId, reason: command.reason } };
    case 'add-line':
      return addLine(state, command.line);
    case 'remove-lines':
      return removeLines(state, command.events);
    case 'begin-checkout':
      return beginCheckout(state, command.checkout);
    case 'close-checkout':
      return closeCheckout(state, command);
    case 'begin-upgrade':
      if ((state.upgrade?.id ?? null) !== command.instead) return null;
      return { type: 'UpgradeBegun', data: command.upgrade };
    case 'name-customer':
      if (state.customer_id !== null) return null;
      return { type: 'CustomerNamed', data: { customer_id: command.customerId } };
    case 'change-subscription':
      return changeSubscription(command, state);
    case 'erase-person':
      return erasePerson(command, state);
    default:
      return unknown(command);
  }
};

const evolve = (state: AccountState, domainEvent: Exclude<AccountEvent, { type: 'AccountOpened' }>): AccountState => {
  switch (domainEvent.type) {
    case 'PlanChanged':
      return { ...state, plan: domainEvent.data.plan };
    case 'GrantReserved':
      return reserved(state, domainEvent.data);
    case 'GrantConfirmed':
      return confirmed(state, domainEvent.data.export_id);
    case 'GrantReleased':
      return released(state, domainEvent.data.export_id);
    case 'CartLineAdded':
      return { ...state, cart: [...state.cart, domainEvent.data] };
    case 'CartLinesRemoved':
      return { ...state, cart: state.cart.filter(({ event }) => !domainEvent.data.events.includes(event)) };
    case 'CheckoutBegun':
      return { ...state, checkout: domainEvent.data };
    case 'CheckoutClosed':
      return checkoutClosed(state, domainEvent.data.events);
    case 'UpgradeBegun':
      return { ...state, upgrade: domainEvent.data };
    case 'CustomerNamed':
      return { ...state, customer_id: domainEvent.data.customer_id };
    case 'SubscriptionChanged':
      return { ...state, subscription: domainEvent.data.subscription, plan: domainEvent.data.plan };
    case 'PersonErased':
      return personErased(state, domainEvent.data);
    default:
      return unknown(domainEvent);
  }
};

const unknown = (value: never): never => {
  throw new Error(`unknown account command or fact ${JSON.stringify(value)}`);
};

const open = (
  command: Extract<AccountCommand, { type: 'open' }>,
  state: AccountState | undefined,
): AccountEvent | null => {
  if (state === undefined) return { type: 'AccountOpened', data: { plan: command.plan, credits: command.credits } };
  if (state.plan === command.plan && command.onlyNew !== true) return null;
  throw new DomainError('account_exists', `This account already exists, with the plan ${state.plan}.`);
};

const changeSubscription = (
  { subscription, plan }: Extract<AccountCommand, { type: 'change-subscription' }>,
  state: AccountState,
): AccountEvent | null => {
  const same = JSON.stringify(subscription) === JSON.stringify(state.subscription);
  return same && plan === state.plan ? null : { type: 'SubscriptionChanged', data: { subscription, plan } };
};

/**
 * Two requests at once under one Idempotency-Key have one export id, so the second must not get the grant of the first
 * for something else.
 */
const reserve = (command: Extract<AccountCommand, { type: 'reserve' }>, state: AccountState): AccountEvent | null => {
  const claim = fingerprintOf(command);
  const known = state.reservations[command.exportId];
  if (known?.claim === claim) return null;
  if (known !== undefined) {
    throw new DomainError(
      'idempotency_conflict',
      'This Idempotency-Key belongs to a different export. Send a new key for a new export.',
    );
  }
  const grant = grantOf(command, state, command.now);
  const credit_event = grant === 'free_credit' ? (command.events[0] ?? null) : null;
  const reservation = { grant, day: dayOf(command.now.us), at_us: command.now.us, credit_event, claim };
  return { type: 'GrantReserved', data: { export_id: command.exportId, ...reservation } };
};

const opened = (account: string, { plan, credits }: { plan: PlanId; credits: number }): AccountState => ({
  account,
  plan,
  credits_granted: credits,
  credits_used: 0,
  exports_today: { day: '1970-01-01', count: 0 },
  reservations: {},
  cart: [],
  checkout: null,
  customer_id: null,
  subscription: null,
  upgrade: null,
  erasures: 0,
});

const reserved = (state: AccountState, data: Reservation & { export_id: string }): AccountState => {
  const { export_id, ...reservation } = data;
  const { day } = reservation;
  const before = state.exports_today.day === day ? state.exports_today.count : 0;
  return {
    ...state,
    credits_used: state.credits_used + (reservation.grant === 'free_credit' ? 1 : 0),
    exports_today: { day, count: before + (reservation.grant === 'unlock' ? 0 : 1) },
    reservations: { ...state.reservations, [export_id]: reservation },
  };
};

/** An event that a credit paid for needs no purchase any more. */
const confirmed = (state: AccountState, exportId: string): AccountState => {
  const bought = state.reservations[exportId]?.credit_event;
  return {
    ...state,
    reservations: without(state, exportId),
    cart: state.cart.filter(({ event }) => event !== bought),
  };
};

/** Gives back what the reservation took; a day that is over has nothing to give back to. */
const released = (state: AccountState, exportId: string): AccountState => {
  const reservation = state.reservations[exportId];
  if (reservation === undefined) return state;
  const { day, count } = state.exports_today;
  const counted = reservation.grant !== 'unlock' && reservation.day === day;
  return {
    ...state,
    credits_used: state.credits_used - (reservation.grant === 'free_credit' ? 1 : 0),
    exports_today: { day, count: count - (counted ? 1 : 0) },
    reservations: without(state, exportId),
  };
};

const without = ({ reservations }: AccountState, exportId: string): AccountState['reservations'] => {
  const { [exportId]: _, ...others } = reservations;
  return others;
};
