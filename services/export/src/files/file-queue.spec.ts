import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileQueue } from './file-queue.js';

/** Files that are ready when the test says so. `begun` has their names in order. */
const waitingFiles = (turns: ReturnType<typeof fileQueue>) => {
  const begun: string[] = [];
  const ready = new Map<string, () => void>();
  const { signal } = new AbortController();
  return {
    begun,
    add: (name: string, rows: number): void => {
      const [account = ''] = name;
      const { promise, resolve } = Promise.withResolvers<void>();
      ready.set(name, resolve);
      void turns.run({ account, rows, signal }, () => {
        begun.push(name);
        return promise;
      });
    },
    finish: async (name: string): Promise<void> => {
      ready.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

const [small, large] = [10, 1_000];

describe('the files that wait for an export worker', () => {
  it('begin with a small file of one account although another has 20 large ones', async () => {
    const { begun, add, finish } = waitingFiles(fileQueue({ concurrency: 2, largeFromRows: 100 }));
    for (let file = 0; file < 20; file += 1) add(`a${file}`, large);
    add('b small', small);
    assert.deepEqual(begun, ['a0', 'b small']);
    add('c small', small);
    await finish('b small');
    assert.deepEqual(begun, ['a0', 'b small', 'c small']);
  });

  it('alternate between accounts, large and small ones alike', async () => {
    for (const rows of [small, large]) {
      const { begun, add, finish } = waitingFiles(fileQueue({ concurrency: 1, largeFromRows: 100 }));
      for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) add(name, rows);
      for (const name of ['a1', 'a2', 'b1', 'c1']) await finish(name);
      assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3']);
    }
  });

  it('use all workers if they are small', () => {
    const { begun, add } = waitingFiles(fileQueue({ concurrency: 3, largeFromRows: 100 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, small);
    assert.deepEqual(begun, ['a1', 'a2', 'a3']);
  });
});
