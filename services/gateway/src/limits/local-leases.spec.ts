import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { windowMs } from './leases.js';
import { localLeases } from './local-leases.js';

describe('local leases', () => {
  it('stay within the limit in any minute, whenever they are requested', () => {
    const own = localLeases();
    const granted: { atMs: number; tokens: number }[] = [];
    // Steps of different length, some beyond a whole window.
    for (let step = 0, atMs = 0; step < 5_000; step += 1, atMs += (step * 7_919) % 1_700) {
      const { tokens, free, resetMs } = own.lease(atMs, { limit: 97, lease: 10 });
      own.note(atMs, tokens);
      granted.push({ atMs, tokens });
      const used = granted.filter((one) => one.atMs > atMs - windowMs).reduce((total, one) => total + one.tokens, 0);
      assert.ok(used <= 97, `${used} at ${atMs}`);
      assert.equal(free, 97 - used);
      assert.ok(resetMs > 0 && resetMs <= windowMs, `${resetMs}`);
    }
    assert.ok(granted.reduce((total, { tokens }) => total + tokens, 0) > 97);
  });

  it('are held for a little less than the window, so that none outlives its entry in Redis', () => {
    const own = localLeases();
    own.note(0, 5);
    own.note(10_000, 3);
    assert.deepEqual([own.held(10_000), own.held(58_999), own.held(59_500), own.held(69_500)], [8, 8, 3, 0]);
  });
});
