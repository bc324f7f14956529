import type { PlanId, PlanTerms } from '@almanac/contracts';

/** Tokens of what Nest injects. */
export const STORE = Symbol('event store');
export const TERMS = Symbol('terms');

/** What the operator configured: the plans, and the free credits of a new account. */
export interface Terms {
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly credits: number;
}
