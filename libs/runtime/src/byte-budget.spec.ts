import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteBudget } from './byte-budget.js';

describe('a byte budget', () => {
  it('gives an account a quarter at most, and all accounts together no more than the limit', () => {
    const budget = byteBudget(100);
    const releases = ['a', 'b', 'c', 'd'].map((account) => budget.reserve(account, 25));
    assert.ok(releases.every((release) => release !== undefined));
    assert.equal(budget.used, 100);
    assert.equal(budget.reserve('e', 1), undefined);
    releases[0]?.();
    releases[0]?.();
    assert.equal(budget.used, 75);
    assert.equal(budget.reserve('b', 1), undefined);
    assert.ok(budget.reserve('e', 25));
  });

  it('takes one reservation above the share of its account, and one above the limit when it is empty', () => {
    const budget = byteBudget(100);
    const release = budget.reserve('a', 500);
    assert.equal(budget.used, 500);
    assert.equal(budget.reserve('b', 1), undefined);
    release?.();
    assert.ok(budget.reserve('a', 10));
    const releaseLarge = budget.reserve('b', 60);
    assert.ok(releaseLarge);
    assert.ok(budget.reserve('c', 10));
    assert.ok(budget.reserve('b', 20), 'the share is free beside the large reservation');
    assert.equal(budget.reserve('b', 6), undefined);
    assert.equal(budget.used, 100);
    releaseLarge();
    releaseLarge();
    assert.equal(budget.used, 40);
  });

  it('takes only one reservation above the share of an account', () => {
    const budget = byteBudget(100);
    assert.ok(budget.reserve('a', 10));
    assert.ok(budget.reserve('b', 30));
    assert.equal(budget.reserve('b', 30), undefined);
    assert.ok(budget.reserve('c', 30));
  });
});
