import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AlmanacError } from './errors.js';
import { nextOf, type Pages, pagesOf } from './pages.js';

const numbers = (size: number, total: number): Pages<number, string> =>
  pagesOf<number, string, number>(async (at = 0) => {
    const items = Array.from({ length: Math.min(size, total - at) }, (_, n) => at + n);
    const next = at + size;
    return { answer: `from ${at}`, items, next: nextOf(next < total, next) };
  });
const withCode = (code: string) => (error: unknown) => error instanceof AlmanacError && error.code === code;
const itemOf = (result: IteratorResult<number>): number | undefined =>
  result.done === true ? undefined : result.value;

describe('pages', () => {
  it('give every item once, in order', async () => {
    assert.deepEqual(await numbers(3, 10).toArray(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const answers: string[] = [];
    for await (const answer of numbers(4, 10).pages()) answers.push(answer);
    assert.deepEqual(answers, ['from 0', 'from 4', 'from 8']);
    assert.equal(await numbers(4, 10).firstPage(), 'from 0');
  });

  it('read no page beyond the last item that is used', async () => {
    let reads = 0;
    const endless = pagesOf<number, null, number>(async (at = 0) => {
      reads += 1;
      return { answer: null, items: [at, at + 1], next: at + 2 };
    });
    for await (const item of endless) if (item === 3) break;
    assert.equal(reads, 2);
  });

  it('give an item of a page that was read without another turn of the microtask queue', async () => {
    const items = numbers(3, 3)[Symbol.asyncIterator]();
    await items.next();
    let second: number | undefined;
    void items.next().then((result) => {
      second = itemOf(result);
    });
    await Promise.resolve();
    assert.equal(second, 1);
  });

  it('answer calls that overlap in their order, and end when the caller returns', async () => {
    const items = numbers(2, 5)[Symbol.asyncIterator]();
    const results = await Promise.all(Array.from({ length: 7 }, () => items.next()));
    assert.deepEqual(results.map(itemOf), [0, 1, 2, 3, 4, undefined, undefined]);

    const ended = numbers(2, 5)[Symbol.asyncIterator]();
    const answers = await Promise.all([ended.next(), ended.return?.(), ended.next()]);
    assert.deepEqual(
      answers.map((answer) => answer?.done),
      [false, true, true],
    );
  });

  it('end after an error of a page', async () => {
    const failing = pagesOf<number, null, number>(async (at = 0) => {
      if (at > 0) throw new Error('lost');
      return { answer: null, items: [1], next: 1 };
    })[Symbol.asyncIterator]();
    const settled = await Promise.allSettled([failing.next(), failing.next(), failing.next()]);
    assert.deepEqual(
      settled.map((one) => (one.status === 'fulfilled' ? one.value.done : String(one.reason))),
      [false, 'Error: lost', true],
    );
  });

  it('refuse to return a part as an array', async () => {
    await assert.rejects(numbers(3, 10).toArray({ max: 9 }), withCode('result_too_large'));
    assert.equal((await numbers(3, 10).toArray({ max: 10 })).length, 10);
  });

  it('do not end silently where the server lists no further', async () => {
    const beyond = pagesOf<number, null, number>(async () => ({
      answer: null,
      items: [1],
      next: nextOf<number>(true, null),
    }));
    await assert.rejects(beyond.toArray(), withCode('result_too_large'));
  });

  it('end when the server answers with the same page again', async () => {
    const same = pagesOf<number, null, number>(async () => ({ answer: null, items: [1], next: 1 }));
    await assert.rejects(same.toArray(), withCode('not_almanac'));
  });
});
