import type { RpcContext } from '@almanac/bus/server';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { Accounts } from './account/accounts.js';
import type { Payments } from './payments.js';

/** The operator's configuration: plans, price of one event in minor units, credits of a new account. */
export interface PriceList {
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly eventPrice: number;
  readonly credits: number;
}

export interface CommerceContext {
  readonly store: EventStore;
  readonly accounts: Accounts;
  readonly payments: Payments;
  readonly terms: PriceList;
  readonly nowUs: () => number;
}

export interface CommandContext {
  readonly account: string;
  /** Milliseconds left. Read it again before each step. */
  readonly remainingMs: () => number;
}

export const commandContextOf = (context: RpcContext): CommandContext => ({
  account: context.caller,
  remainingMs: () => context.remainingMs,
});
