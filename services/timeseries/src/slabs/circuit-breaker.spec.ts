import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { circuitBreaker } from './circuit-breaker.js';

describe('a circuit breaker', () => {
  const started = () => {
    let now = 0;
    const breaker = circuitBreaker({ pauseMs: 100, pauseMsMax: 1_000, nowMs: () => now });
    return { breaker, pass: (ms: number) => void (now += ms) };
  };

  it('lets calls through until one fails, and one again after the pause', () => {
    const { breaker, pass } = started();
    assert.deepEqual([breaker.mayCall(), breaker.mayCall()], [true, true]);
    assert.equal(breaker.onFailure(), true);
    assert.equal(breaker.mayCall(), false);
    pass(150);
    assert.deepEqual([breaker.mayCall(), breaker.mayCall()], [true, false]);
    breaker.onSuccess();
    assert.deepEqual([breaker.mayCall(), breaker.mayCall()], [true, true]);
  });

  it('counts failures of calls under way once', () => {
    const { breaker, pass } = started();
    assert.deepEqual([breaker.onFailure(), breaker.onFailure(), breaker.onFailure()], [true, false, false]);
    pass(150);
    assert.equal(breaker.mayCall(), true);
  });

  it('pauses longer after each failed try, up to a limit', () => {
    const { breaker, pass } = started();
    for (let failure = 0; failure < 20; failure += 1) {
      assert.equal(breaker.onFailure(), true);
      const fullMs = Math.min(1_000, 100 * 2 ** failure);
      assert.ok(breaker.waitMs >= fullMs / 2 && breaker.waitMs <= fullMs * 1.5, `${breaker.waitMs} of ${fullMs} ms`);
      assert.equal(breaker.mayCall(), false);
      pass(fullMs * 1.5);
      assert.equal(breaker.mayCall(), true);
    }
  });
});
