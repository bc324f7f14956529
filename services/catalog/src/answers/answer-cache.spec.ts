import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reply } from '@almanac/bus';
import { eventually } from '@almanac/testing';
import { answerCache, type CacheableAnswer } from './answer-cache.js';

const textOf = async (reply: Reply<object> | Promise<Reply<object>>): Promise<string> =>
  Buffer.from((await reply).bytes).toString();
const waiting = { signal: new AbortController().signal };
const made = (n: number): CacheableAnswer => ({ first: { n, source: 'archive' }, fromCache: { n, source: 'cache' } });

/** Computations that end when the test ends them. */
const controlledMakers = () => {
  const startedMakers: { end: (answer: CacheableAnswer) => void; fail: (error: Error) => void; signal: AbortSignal }[] =
    [];
  const compute = (signal: AbortSignal): Promise<CacheableAnswer> =>
    new Promise((end, fail) => {
      startedMakers.push({ end, fail, signal });
    });
  return { begun: startedMakers, make: compute };
};
/** A computation starts after the caller has continued. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('cached answers', () => {
  it('are computed once for concurrent callers, then returned as bytes that name the cache', async () => {
    const cache = answerCache({ ttlMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = controlledMakers();
    const first = [cache.get('a', waiting, make), cache.get('a', waiting, make)];
    await turn();
    assert.equal(begun.length, 1);
    begun[0]?.end(made(1));
    assert.deepEqual(await Promise.all(first.map(textOf)), Array(2).fill('{"n":1,"source":"archive"}'));
    const fromCache = cache.get('a', waiting, make);
    assert.equal(await textOf(fromCache), '{"n":1,"source":"cache"}');
    assert.equal(cache.get('a', waiting, make), fromCache, 'the same bytes');
    assert.equal(begun.length, 1);
  });

  it('are returned until they expire', async () => {
    const cache = answerCache({ ttlMs: 30, bytesMax: 10_000 });
    let n = 0;
    const compute = async (): Promise<CacheableAnswer> => made((n += 1));
    await cache.get('a', waiting, compute);
    await eventually(async () =>
      assert.equal(await textOf(cache.get('a', waiting, compute)), '{"n":2,"source":"archive"}'),
    );
  });

  it('that were started before a change are returned to waiting callers only', async () => {
    const cache = answerCache({ ttlMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = controlledMakers();
    const before = cache.get('a', waiting, make);
    await turn();
    cache.clear();
    const after = cache.get('a', waiting, make);
    await turn();
    begun[1]?.end(made(2));
    assert.match(await textOf(after), /"n":2/);
    begun[0]?.end(made(1));
    assert.match(await textOf(before), /"n":1/);
    assert.equal(await textOf(cache.get('a', waiting, make)), '{"n":2,"source":"cache"}');
    cache.clear();
    void cache.get('a', waiting, make);
    await turn();
    assert.equal(begun.length, 3);
  });

  it('are not cached when they fail, and fail for all waiting callers', async () => {
    const cache = answerCache({ ttlMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = controlledMakers();
    const failing = [cache.get('a', waiting, make), cache.get('a', waiting, make)];
    await turn();
    begun[0]?.fail(new Error('down'));
    for (const one of failing) await assert.rejects(async () => one, /down/);
    void cache.get('a', waiting, make);
    await turn();
    assert.equal(begun.length, 2);
  });

  it('are aborted when the last waiting caller leaves', async () => {
    const cache = answerCache({ ttlMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = controlledMakers();
    const [one, other] = [new AbortController(), new AbortController()];
    const pendingAnswers = [cache.get('a', one, make), cache.get('a', other, make)];
    await turn();
    one.abort();
    assert.equal(begun[0]?.signal.aborted, false);
    other.abort(new Error('left'));
    assert.equal(begun[0].signal.aborted, true);
    void cache.get('a', waiting, make);
    await turn();
    assert.equal(begun.length, 2, 'who comes later does not join what was given up');
    begun[0].fail(new Error('left'));
    for (const pendingAnswer of pendingAnswers) await assert.rejects(async () => pendingAnswer, /left/);
  });

  it('have a limit in bytes, and the oldest is dropped first', async () => {
    const cache = answerCache({ ttlMs: 60_000, bytesMax: 3_000 });
    let n = 0;
    const compute = async (): Promise<CacheableAnswer> => ({
      first: {},
      fromCache: { n: (n += 1), text: 'x'.repeat(600) },
    });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await cache.get(key, waiting, compute);
    assert.match(await textOf(cache.get('e', waiting, compute)), /"n":5/);
    assert.match(await textOf(cache.get('d', waiting, compute)), /"n":4/);
    assert.equal(await textOf(cache.get('a', waiting, compute)), '{}');
    await cache.get('long', waiting, async () => ({ first: {}, fromCache: { text: 'x'.repeat(5_000) } }));
    assert.equal(await textOf(cache.get('long', waiting, compute)), '{}', 'one above the bound is not kept');
  });
});
