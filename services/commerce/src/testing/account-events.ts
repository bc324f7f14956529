import assert from 'node:assert/strict';
import { type AccountState, defaultPlans } from '@almanac/contracts';
import { specificationOf } from '@almanac/event-store/testing';
import { accountDecider, type AccountCommand, type AccountEvent } from '../account/account.decider.js';
import type { Claim, Now } from '../account/grants.js';

export const { given } = specificationOf(accountDecider('acc'));
export const noonUs = Date.UTC(2026, 10, 20, 12) * 1_000;
export const now: Now = { us: noonUs, plans: defaultPlans, eventPrice: 500 };

export const opened = (plan: 'free' | 'pro' | 'full_book', credits = 1): AccountEvent => ({
  type: 'AccountOpened',
  data: { plan, credits },
});
export const reserve = (exportId: string, claim: Partial<Claim & { now: Now }> = {}): AccountCommand => ({
  type: 'reserve',
  exportId,
  events: ['EV'],
  dayPack: false,
  l2: false,
  locked: ['EV'],
  planOnly: false,
  parts: [],
  split: false,
  now,
  ...claim,
});
/** Ids for the event `EV` without and with its books. */
export const claim = { plain: 'NugdnSf1T1q_0E4ZfxBBbS', l2: '-RrDsr_bLCUp1rRRZN7646' };
export const reserved = (
  export_id: string,
  grant: 'unlock' | 'plan' | 'free_credit',
  claimed = claim.plain,
): AccountEvent => ({
  type: 'GrantReserved',
  data: {
    export_id,
    grant,
    day: '2026-11-20',
    at_us: noonUs,
    credit_event: grant === 'free_credit' ? 'EV' : null,
    claim: claimed,
  },
});
export const confirmed = (export_id: string): AccountEvent => ({ type: 'GrantConfirmed', data: { export_id } });
export const released = (export_id: string): AccountEvent => ({
  type: 'GrantReleased',
  data: { export_id, reason: 'failed' },
});

export const stateOfAll = (...facts: AccountEvent[]): AccountState => {
  const decider = accountDecider('acc');
  const state = facts.reduce<AccountState | undefined>((before, one) => decider.evolve(before, one), undefined);
  assert.ok(state);
  return state;
};
