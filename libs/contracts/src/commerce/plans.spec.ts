import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultPlans, eventPrice, freeCredits, planTerms, soldPlanId } from './plans.js';

describe('the terms of the plans', () => {
  it('have the limits and prices of the specification', () => {
    const rows = (['free', ...soldPlanId.options] as const).map((plan) => {
      const { name: _, exportIncluded, l2Export, fullBook, ...limits } = defaultPlans[plan];
      return [Object.values(limits), [exportIncluded, l2Export, fullBook]];
    });
    assert.deepEqual(rows, [
      // Price, API keys, requests a minute, exports a day and pending exports; exports, order books in them, in snapshots.
      [
        [0, 2, 120, 3, 1],
        [false, false, false],
      ],
      [
        [4_900, 10, 1_200, 200, 5],
        [true, false, false],
      ],
      [
        [14_900, 50, 6_000, 1_000, 20],
        [true, true, true],
      ],
    ]);
    assert.deepEqual([eventPrice, freeCredits], [500, 1]);
  });
  it('are the defaults unless configured', () => {
    assert.deepEqual(planTerms.parse(undefined), defaultPlans);
    assert.deepEqual(planTerms.parse('{}'), defaultPlans);
  });
  it('change single figures, where null is without limit', () => {
    const terms = planTerms.parse('{"free": {"exportsPerDay": 5, "apiKeys": null}}');
    assert.deepEqual(terms.free, { ...defaultPlans.free, exportsPerDay: 5, apiKeys: null });
    assert.deepEqual(terms.pro, defaultPlans.pro);
    assert.equal(defaultPlans.free.exportsPerDay, 3);
  });
  for (const text of [
    '{',
    '[]',
    '3',
    '{"gold": {}}',
    '{"free": {"exportsPerday": 5}}',
    '{"pro": {"price": -1}}',
    '{"pro": {"apiKeys": 1.5}}',
  ]) {
    it(`refuse ${text}`, () => assert.equal(planTerms.safeParse(text).success, false));
  }
});
