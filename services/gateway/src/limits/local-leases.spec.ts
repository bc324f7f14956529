import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { windowMs } from './lease-script.js';
import { localLeases } from './local-leases.js';
import { shareOf } from './rate-limits.js';

describe('local leases', () => {
  it('stay within the limit in any minute, whenever they are requested', () => {
    const own = localLeases();
    const granted: { atMs: number; tokens: number }[] = [];
    // Steps of different length, some beyond a whole window.
    for (let step = 0, atMs = 0; step < 2_000; step += 1, atMs += (step * 7_919) % 1_700) {
      const { tokens, free, resetMs } = own.lease(atMs, { limit: 97, waiting: 10 });
      granted.push({ atMs, tokens });
      const used = granted.filter((one) => one.atMs > atMs - windowMs).reduce((total, one) => total + one.tokens, 0);
      assert.ok(used <= 97, `${used} at ${atMs}`);
      assert.ok(free <= 97 - used && free >= 0, `${free} at ${atMs}`);
      assert.ok(resetMs > 0 && resetMs <= windowMs, `${resetMs}`);
    }
    assert.ok(granted.reduce((total, { tokens }) => total + tokens, 0) > 97);
  });

  it('are held for a little less than the window, so that none outlives its entry in Redis', () => {
    const own = localLeases();
    own.spent(0, 5);
    own.spent(10_000, 3);
    const held = (nowMs: number): number => own.held(nowMs).all;
    assert.deepEqual([held(10_000), held(58_999), held(59_500), held(69_500)], [8, 8, 3, 0]);
  });

  it('that Redis has not counted are known', () => {
    const own = localLeases();
    own.listed('first');
    own.spent(0, 5);
    own.lease(1_000, { limit: 100, waiting: 3 });
    assert.deepEqual(own.held(2_000), { all: 8, unlisted: 3 });
    own.listed('first');
    assert.deepEqual(own.held(2_000), { all: 8, unlisted: 0 });
  });
});

describe('the shares of all gateways', () => {
  it('add up to the limit, and another account has its larger shares elsewhere', () => {
    for (const gateways of [1, 2, 7, 40]) {
      for (const limit of [0, 1, 10, 60, 97, 6_000]) {
        const shares = Array.from({ length: gateways }, (_, rank) => shareOf('account', limit, { gateways, rank }));
        assert.equal(
          shares.reduce((sum, one) => sum + one, 0),
          limit,
        );
      }
    }
    const first = (account: string): number => shareOf(account, 1, { gateways: 2, rank: 0 });
    assert.notEqual(first('a'), first('b'));
  });
});
