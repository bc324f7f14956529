import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '@almanac/bus';
import { keptAnswers, type Made } from './kept-answers.js';

const textOf = async (reply: Reply | Promise<Reply>): Promise<string> => Buffer.from((await reply).bytes).toString();
const waiting = { signal: new AbortController().signal };
const made = (n: number): Made => ({ first: { n, source: 'archive' }, again: { n, source: 'cache' } });

/** Makings that end when they are told to. */
const makings = () => {
  const begun: { end: (answer: Made) => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const make = (signal: AbortSignal): Promise<Made> =>
    new Promise((end, fail) => {
      begun.push({ end, fail, signal });
    });
  return { begun, make };
};
/** A making begins when the asker has gone on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('kept answers', () => {
  it('are made once for all who ask at once, and given again as bytes that tell so', async () => {
    const kept = keptAnswers({ keptMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = makings();
    const first = [kept.get('a', waiting, make), kept.get('a', waiting, make)];
    await turn();
    assert.equal(begun.length, 1);
    begun[0]?.end(made(1));
    assert.deepEqual(await Promise.all(first.map(textOf)), Array(2).fill('{"n":1,"source":"archive"}'));
    const again = kept.get('a', waiting, make);
    assert.equal(await textOf(again), '{"n":1,"source":"cache"}');
    assert.equal(kept.get('a', waiting, make), again, 'the same bytes');
    assert.equal(begun.length, 1);
  });

  it('are given for their time and not beyond', async () => {
    const kept = keptAnswers({ keptMs: 30, bytesMax: 10_000 });
    let n = 0;
    const make = async (): Promise<Made> => made((n += 1));
    await kept.get('a', waiting, make);
    await pause(40);
    assert.equal(await textOf(kept.get('a', waiting, make)), '{"n":2,"source":"archive"}');
  });

  it('that were begun before a change are given to those who waited, and to nobody else', async () => {
    const kept = keptAnswers({ keptMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = makings();
    const before = kept.get('a', waiting, make);
    await turn();
    kept.forget();
    const after = kept.get('a', waiting, make);
    await turn();
    begun[1]?.end(made(2));
    assert.match(await textOf(after), /"n":2/);
    begun[0]?.end(made(1));
    assert.match(await textOf(before), /"n":1/);
    assert.equal(await textOf(kept.get('a', waiting, make)), '{"n":2,"source":"cache"}');
    kept.forget();
    void kept.get('a', waiting, make);
    await turn();
    assert.equal(begun.length, 3);
  });

  it('are not kept when they fail, and fail for all who wait', async () => {
    const kept = keptAnswers({ keptMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = makings();
    const failing = [kept.get('a', waiting, make), kept.get('a', waiting, make)];
    await turn();
    begun[0]?.fail(new Error('down'));
    for (const one of failing) await assert.rejects(async () => one, /down/);
    void kept.get('a', waiting, make);
    await turn();
    assert.equal(begun.length, 2);
  });

  it('are made no further when the last who waits has left', async () => {
    const kept = keptAnswers({ keptMs: 60_000, bytesMax: 10_000 });
    const { begun, make } = makings();
    const [one, other] = [new AbortController(), new AbortController()];
    const asked = [kept.get('a', one, make), kept.get('a', other, make)];
    await turn();
    one.abort();
    assert.equal(begun[0]?.signal.aborted, false);
    other.abort(new Error('left'));
    assert.equal(begun[0].signal.aborted, true);
    void kept.get('a', waiting, make);
    await turn();
    assert.equal(begun.length, 2, 'who comes later does not join what was given up');
    begun[0].fail(new Error('left'));
    for (const gone of asked) await assert.rejects(async () => gone, /left/);
  });

  it('have a bound in bytes, and the oldest goes first', async () => {
    const kept = keptAnswers({ keptMs: 60_000, bytesMax: 3_000 });
    let n = 0;
    const make = async (): Promise<Made> => ({ first: {}, again: { n: (n += 1), text: 'x'.repeat(600) } });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await kept.get(key, waiting, make);
    assert.match(await textOf(kept.get('e', waiting, make)), /"n":5/);
    assert.match(await textOf(kept.get('d', waiting, make)), /"n":4/);
    assert.equal(await textOf(kept.get('a', waiting, make)), '{}');
    await kept.get('long', waiting, async () => ({ first: {}, again: { text: 'x'.repeat(5_000) } }));
    assert.equal(await textOf(kept.get('long', waiting, make)), '{}', 'one above the bound is not kept');
  });
});
