import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultPlans, planTerms } from './plans.js';

describe('the terms of the plans', () => {
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
