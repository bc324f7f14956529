import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultPlans, moneyOf, planResponse } from '@almanac/contracts';
import { noonUs, opened, stateOfAll } from '../testing/account-events.js';
import { planAnswer } from './plan.query.js';

describe('the answer about the plan of an account', () => {
  const plans = { ...defaultPlans, pro: { ...defaultPlans.pro, price: 5_900, exportsPerDay: null } };
  const answerOf = (plan: 'free' | 'pro') => planAnswer(stateOfAll(opened(plan)), { keys: 1, plans, nowUs: noonUs });

  it('has each plan that one can have, with the price and the terms of this deployment', () => {
    const answer = planResponse.parse(answerOf('free'));
    assert.deepEqual(
      answer.plans.map(({ id, price, exports_per_day }) => [id, price, exports_per_day]),
      [
        ['free', moneyOf(0), 3],
        ['pro', moneyOf(5_900), null],
        ['full_book', moneyOf(14_900), 1_000],
      ],
    );
    assert.deepEqual(answer.plans[2], {
      id: 'full_book',
      name: 'Full book',
      price: moneyOf(14_900),
      api_keys: 50,
      requests_per_minute: 6_000,
      exports_per_day: 1_000,
      exports_pending: 20,
      export_included: true,
      l2_export: true,
      full_book: true,
    });
  });

  it('has the same terms for the own plan as in the list', () => {
    const { plan, entitlements, plans: all } = answerOf('pro');
    const listed = all.find(({ id }) => id === 'pro');
    assert.deepEqual(listed, {
      ...plan,
      api_keys: entitlements.api_keys.limit,
      requests_per_minute: entitlements.requests_per_minute,
      exports_per_day: entitlements.exports_per_day.limit,
      exports_pending: entitlements.exports_pending.limit,
      export_included: entitlements.export_included,
      l2_export: entitlements.l2_export,
      full_book: entitlements.full_book,
    });
  });

  it('has no limits for the internal plan', () => {
    const state = { ...stateOfAll(opened('free')), plan: 'internal' as const };
    const { plan, entitlements } = planAnswer(state, { keys: 1, plans, nowUs: noonUs });
    assert.equal(plan.id, 'internal');
    assert.deepEqual(entitlements.exports_pending, { limit: null, used: 0 });
    assert.deepEqual([entitlements.requests_per_minute, entitlements.l2_export], [null, true]);
  });
});
