import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { limitConcurrency } from './limit-concurrency.js';

const isOverload = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

describe('limited concurrency', () => {
  it('runs a limited number of operations at once, in their order, also after failures', async () => {
    const limited = limitConcurrency({ running: 3, waiting: 100, waitMs: 60_000 });
    let [running, most] = [0, 0];
    const order: number[] = [];
    const settled = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        limited(async () => {
          running += 1;
          most = Math.max(most, running);
          order.push(n);
          await new Promise(setImmediate);
          running -= 1;
          if (n % 2 === 0) throw new Error('failed');
          return n;
        }),
      ),
    );
    assert.deepEqual([most, running], [3, 0]);
    assert.deepEqual(
      order,
      Array.from({ length: 30 }, (_, n) => n),
    );
    assert.equal(settled.filter(({ status }) => status === 'rejected').length, 15);
  });

  it('rejects what would wait too long, and runs later operations', async () => {
    const limited = limitConcurrency({ running: 1, waiting: 1, waitMs: 0 });
    const { promise, resolve } = Promise.withResolvers<number>();
    const first = limited(() => promise);
    const late = limited(async () => 2);
    await assert.rejects(
      limited(async () => 3),
      isOverload,
    );
    resolve(1);
    assert.equal(await first, 1);
    await assert.rejects(late, isOverload);
    assert.equal(await limited(async () => 4), 4);
  });
});
