import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ReplyChunks } from '@almanac/bus';
import { eventually } from '@almanac/testing';
import { chunkIterator } from './chunk-iterator.js';

const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') Reflect.apply(collect, undefined, []);
};

describe('the chunks of a stream', () => {
  const ends: string[] = [];
  const chunksOf = (produce: ReplyChunks['next']): ReplyChunks => chunkIterator(produce, () => void ends.push('end'));

  it('are in memory until they are taken, and no longer', async () => {
    const produced: WeakRef<object>[] = [];
    const chunks = chunksOf(async () => {
      const value = new Uint8Array(65_536);
      produced.push(new WeakRef(value));
      return { done: false, value };
    });
    const take = async (): Promise<number | undefined> => {
      const { done, value } = await chunks.next();
      return done === true ? undefined : value.length;
    };
    assert.deepEqual([await take(), await take()], [65_536, 65_536]);
    await eventually(() => {
      collectGarbage();
      // Not the chunks themselves, of which a failed assertion would print each byte.
      assert.equal(produced.filter((one) => one.deref() !== undefined).length, 0);
    });
    await chunks.return({});
    assert.deepEqual(await chunks.next(), { done: true, value: {} });
    assert.deepEqual(ends.splice(0), ['end']);
  });

  it('end once, with their trailer or their error', async () => {
    const whole = chunksOf(async () => ({ done: true, value: { count: 3 } }));
    assert.deepEqual(await whole.next(), { done: true, value: { count: 3 } });
    await whole.return({});
    assert.deepEqual(ends.splice(0), ['end']);
    const broken = chunksOf(() => Promise.reject(new Error('cut')));
    await assert.rejects(broken.next(), /cut/);
    assert.deepEqual(await broken.next(), { done: true, value: {} });
    assert.deepEqual(ends.splice(0), ['end']);
  });
});
