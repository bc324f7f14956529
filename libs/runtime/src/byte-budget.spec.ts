import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteBudget } from './byte-budget.js';

describe('a byte budget', () => {
  it('gives an account a quarter at most, and a quarter of what others leave', () => {
    const budget = byteBudget(100);
    const release = budget.reserve('a', 25);
    assert.ok(release);
    assert.equal(budget.reserve('a', 1), undefined);
    assert.ok(budget.reserve('b', 18));
    assert.equal(budget.reserve('b', 1), undefined);
    assert.equal(budget.used, 43);
    release();
    release();
    assert.equal(budget.used, 18);
    assert.equal(budget.reserve('b', 8), undefined);
    assert.ok(budget.reserve('b', 7));
  });

  it('has some left for one more account, however many let their answers wait', () => {
    const budget = byteBudget(128);
    for (let account = 0; account < 200; account += 1) while (budget.reserve(`account ${account}`, 3)) continue;
    assert.ok(budget.used > 120, String(budget.used));
    assert.ok(budget.reserve('one more', 1));
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
