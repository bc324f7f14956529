import type { RpcContext } from '@almanac/bus';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { Accounts } from './account/accounts.js';
import type { Payments } from './payments.js';

/** Tokens of what Nest injects. */
export const COMMERCE_CONTEXT = Symbol('shop');
export const PERSONS = Symbol('persons');

/** What the operator configured: the plans, the price of one event in minor units, the credits of a new account. */
export interface PriceList {
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly eventPrice: number;
  readonly credits: number;
}

/** What selling needs. */
export interface CommerceContext {
  readonly store: EventStore;
  readonly accounts: Accounts;
  readonly payments: Payments;
  readonly terms: PriceList;
  /** Integer microseconds. */
  readonly nowUs: () => number;
}

/** Whose request it is, and until when it waits. */
export interface CommandContext {
  readonly account: string;
  /** Milliseconds left; read again before each step. */
  readonly remainingMs: () => number;
}

export const commandContextOf = (context: RpcContext): CommandContext => ({
  account: context.caller,
  remainingMs: () => context.remainingMs,
});
