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
