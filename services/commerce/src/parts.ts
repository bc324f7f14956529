import type { RpcContext } from '@almanac/bus';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { Accounts } from './account/accounts.js';
import type { Payments } from './payments.js';

/** Tokens of what Nest injects. */
export const SHOP = Symbol('shop');
export const PERSONS = Symbol('persons');

/** What the operator configured: the plans, the price of one event in minor units, the credits of a new account. */
export interface Terms {
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly eventPrice: number;
  readonly credits: number;
}

/** What selling needs. */
export interface Shop {
  readonly store: EventStore;
  readonly accounts: Accounts;
  readonly payments: Payments;
  readonly terms: Terms;
  /** Integer microseconds. */
  readonly nowUs: () => number;
}

/** Whose request it is, and until when it waits. */
export interface Ask {
  readonly account: string;
  /** Milliseconds left; read again before each step. */
  readonly leftMs: () => number;
}

export const askOf = (context: RpcContext): Ask => ({ account: context.caller, leftMs: () => context.remainingMs });
