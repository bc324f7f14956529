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
import { addLine, beginCheckout, checkoutClosed, closeCheckout, lineAdded, removeLines } from './cart-rules.js';
import { type ErasePerson, erasePerson, type PersonErased, personErased } from './erasure-rules.js';
import { confirmed, isSameClaim, released, reservationOf, reserved } from './reservations.js';
import { type Claim, type Now } from './grants.js';

/** A reservation, or one part of it. */
export interface ReservationRef {
  readonly exportId: string;
  readonly part?: number;
}

export type AccountCommand =
  /** Does nothing if the account exists with this plan. With `onlyNew` an existing account is an error. */
  | { readonly type: 'open'; readonly plan: PlanId; readonly credits: number; readonly onlyNew?: boolean }
  | { readonly type: 'change-plan'; readonly plan: PlanId }
  /** A late upgrade never lowers the plan. */
  | { readonly type: 'raise-plan'; readonly plan: PlanId }
  | ({ readonly type: 'reserve'; readonly exportId: string; readonly now: Now } & Claim)
  | ({ readonly type: 'confirm' } & ReservationRef)
  | ({ readonly type: 'release'; readonly reason: string } & ReservationRef)
  | { readonly type: 'add-line'; readonly line: CartLine }
  | { readonly type: 'remove-lines'; readonly events: readonly string[] }
  /** Does nothing while a checkout is open, or if the cart no longer holds these events. */
  | { readonly type: 'begin-checkout'; readonly checkout: OpenCheckout }
  | { readonly type: 'close-checkout'; readonly id: string; readonly events: readonly string[] }
  /** Does nothing unless the account's current upgrade is `instead`. */
  | { readonly type: 'begin-upgrade'; readonly upgrade: OpenUpgrade; readonly instead: string | null }
  /** Does nothing if the account already has a customer id. */
  | { readonly type: 'name-customer'; readonly customerId: string }
  | { readonly type: 'change-subscription'; readonly subscription: Subscription | null; readonly plan: PlanId }
  | ErasePerson;

export interface GrantRef {
  readonly export_id: string;
  readonly part?: number;
}

export type AccountEvent =
  | { readonly type: 'AccountOpened'; readonly data: { readonly plan: PlanId; readonly credits: number } }
  | { readonly type: 'PlanChanged'; readonly data: { readonly plan: PlanId } }
  | { readonly type: 'GrantReserved'; readonly data: Reservation & { readonly export_id: string } }
  | { readonly type: 'GrantConfirmed'; readonly data: GrantRef }
  | { readonly type: 'GrantReleased'; readonly data: GrantRef & { readonly reason: string } }
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

/** One account: plan, credits, cart, today's exports, and the reservations of its pending exports. */
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
      if (!isReserved(command, state)) return null;
      return { type: 'GrantConfirmed', data: grantRefOf(command) };
    case 'release':
      if (!isReserved(command, state)) return null;
      return { type: 'GrantReleased', data: { ...grantRefOf(command), reason: command.reason } };
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
      return confirmed(state, domainEvent.data);
    case 'GrantReleased':
      return released(state, domainEvent.data);
    case 'CartLineAdded':
      return lineAdded(state, domainEvent.data);
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

/** Concurrent requests under one Idempotency-Key share an export id, but must not share a grant across claims. */
const reserve = (command: Extract<AccountCommand, { type: 'reserve' }>, state: AccountState): AccountEvent | null => {
  const known = state.reservations[command.exportId];
  if (known !== undefined && isSameClaim(known, command)) return null;
  if (known !== undefined) {
    throw new DomainError(
      'idempotency_conflict',
      'This Idempotency-Key belongs to a different export. Send a new key for a new export.',
    );
  }
  return {
    type: 'GrantReserved',
    data: { export_id: command.exportId, ...reservationOf(command, state, command.now) },
  };
};

const isReserved = ({ exportId, part }: ReservationRef, { reservations }: AccountState): boolean => {
  const known = reservations[exportId];
  return known !== undefined && (part === undefined || known.parts?.open.includes(part) === true);
};

const grantRefOf = ({ exportId, part }: ReservationRef): GrantRef => ({
  export_id: exportId,
  ...(part === undefined ? {} : { part }),
});

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
