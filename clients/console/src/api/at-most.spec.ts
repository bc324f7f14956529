import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atMost } from './at-most.js';

/** Work that ends when it is told to. */
const works = (inTurn: ReturnType<typeof atMost>) => {
  const begun: string[] = [];
  const ends = new Map<
    string,
    { readonly resolve: (result: string) => void; readonly reject: (cause: Error) => void }
  >();
  const start = (name: string, signal = new AbortController().signal): Promise<string> =>
    inTurn(() => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
    }, signal);
  return { begun, ends, start };
};

describe('work of which at most so many run at once', () => {
  it('begins in the order in which it came, as soon as another one ends', async () => {
    const { begun, ends, start } = works(atMost(2));
    const results = ['a', 'b', 'c', 'd'].map((name) => start(name));
    await Promise.resolve();
    assert.deepEqual(begun, ['a', 'b']);
    ends.get('b')?.resolve('b');
    assert.equal(await results[1], 'b');
    assert.deepEqual(begun, ['a', 'b', 'c']);
  });

  it('goes on after work that fails', async () => {
    const { begun, ends, start } = works(atMost(1));
    const [first] = [start('a'), start('b')];
    await Promise.resolve();
    ends.get('a')?.reject(new Error('no answer'));
    await assert.rejects(first, /no answer/);
    assert.deepEqual(begun, ['a', 'b']);
  });

  it('never begins what was cancelled while it waited', async () => {
    const { begun, ends, start } = works(atMost(1));
    const stop = new AbortController();
    const [first, second] = [start('a'), start('b', stop.signal)];
    stop.abort(new Error('left'));
    await assert.rejects(second, /left/);
    ends.get('a')?.resolve('a');
    await first;
    await assert.rejects(start('c', AbortSignal.abort(new Error('gone'))), /gone/);
    assert.deepEqual(begun, ['a']);
  });
});
