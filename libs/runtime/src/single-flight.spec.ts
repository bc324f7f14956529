import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { singleFlight } from './single-flight.js';

interface Call {
  readonly result: Promise<number>;
  readonly signal: AbortSignal;
}

/** Calls that end when the test ends them. */
const calls = () => {
  const begun: { resolve: (value: number) => void; reject: (error: Error) => void; signal: AbortSignal }[] = [];
  const start = (signal: AbortSignal): Call => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    begun.push({ resolve, reject, signal });
    return { result: promise, signal };
  };
  return { begun, start };
};

describe('singleFlight', () => {
  it('shares one call among all callers of a key, and starts a new one once it has settled', async () => {
    const { begun, start } = calls();
    const sharedCalls = singleFlight<Call>();
    const [one, other, another] = ['a', 'a', 'b'].map((key) => sharedCalls.join(key, start).call);
    assert.equal(one, other);
    assert.notEqual(one, another);
    begun[0]?.resolve(1);
    assert.equal(await one?.result, 1);
    const failing = sharedCalls.join('a', start).call;
    begun[2]?.reject(new Error('failed'));
    await assert.rejects(failing.result, /failed/);
    assert.notEqual(sharedCalls.join('a', start).call, failing);
    assert.equal(begun.length, 4);
  });

  it('aborts the call when its last caller leaves, and nobody joins it afterwards', () => {
    const { begun, start } = calls();
    const sharedCalls = singleFlight<Call>();
    const [first, second] = [new AbortController(), new AbortController()];
    sharedCalls.join('a', start, first.signal);
    const { callers } = sharedCalls.join('a', start, second.signal);
    assert.deepEqual([...callers], [first.signal, second.signal]);
    first.abort();
    assert.deepEqual([...callers], [second.signal]);
    assert.equal(begun[0]?.signal.aborted, false);
    second.abort(new Error('gone'));
    assert.match(String(begun[0].signal.reason), /gone/);
    sharedCalls.join('a', start);
    assert.equal(begun.length, 2);
  });

  it('aborts at once for a caller that is gone already', () => {
    const { begun, start } = calls();
    singleFlight<Call>().join('a', start, AbortSignal.abort());
    assert.equal(begun[0]?.signal.aborted, true);
  });

  it('starts a new call when mayJoin refuses or clear was called', async () => {
    const { begun, start } = calls();
    const sharedCalls = singleFlight<Call>();
    const before = sharedCalls.join('a', start).call;
    sharedCalls.join('a', start, undefined, (call) => call !== before);
    sharedCalls.clear();
    const after = sharedCalls.join('a', start).call;
    assert.equal(begun.length, 3);
    begun[0]?.resolve(1);
    await before.result;
    assert.equal(sharedCalls.join('a', start).call, after, 'an older call that settles closes no newer one');
  });
});
