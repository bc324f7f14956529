import assert from 'node:assert/strict';
import { getActiveResourcesInfo } from 'node:process';
import { describe, it } from 'node:test';
import { withTimeout } from './with-timeout.js';

const hourMs = 3_600_000;
const late = (): never => {
  throw new Error('late');
};

describe('withTimeout', () => {
  it('returns the result of the work, and leaves no timer', async () => {
    const timers = (): number => getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    assert.equal(await withTimeout(hourMs, Promise.resolve(1), late), 1);
    await assert.rejects(withTimeout(hourMs, Promise.reject(new Error('failed')), late), /failed/);
    assert.equal(timers(), before);
  });

  it('returns or throws the result of onTimeout when the work takes longer', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    assert.equal(await withTimeout(1, promise, () => 'late'), 'late');
    await assert.rejects(withTimeout(1, promise, late), /late/);
    // The test runner fails on an unhandled rejection.
    reject(new Error('after the timeout'));
  });
});
