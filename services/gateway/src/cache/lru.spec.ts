import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBounded, createLru } from './lru.js';

describe('a map within a bound', () => {
  it('lets go what was used longest ago, and a look is a use', () => {
    const lru = createLru<number>(3);
    for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) lru.set(key, value);
    lru.get('a');
    lru.set('b', 20);
    lru.set('d', 4);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => lru.get(key)),
      [1, 20, undefined, 4],
    );
    lru.delete('b');
    lru.set('e', 5);
    assert.deepEqual(
      ['a', 'b', 'd', 'e'].map((key) => lru.get(key)),
      [1, undefined, 4, 5],
    );
    lru.clear();
    assert.deepEqual([lru.get('a'), lru.weight], [undefined, 0]);
    lru.set('f', 6);
    assert.equal(lru.get('f'), 6);
  });

  it('is the same as one that is looked through, whatever is done', () => {
    const [lru, max] = [createLru<number>(7), 7];
    const plain: { key: string; value: number }[] = [];
    const find = (key: string) => plain.findIndex((one) => one.key === key);
    let seed = 1;
    const any = (n: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % n;
    };
    for (let step = 0; step < 5_000; step += 1) {
      const key = `k${any(12)}`;
      const [known] = find(key) < 0 ? [] : plain.splice(find(key), 1);
      const what = any(5);
      if (what === 0) lru.delete(key);
      else if (what < 3) {
        lru.set(key, step);
        plain.push({ key, value: step });
        if (plain.length > max) plain.shift();
      } else {
        assert.equal(lru.get(key), known?.value, `step ${step}`);
        if (known !== undefined) plain.push(known);
      }
      assert.equal(lru.weight, plain.length);
    }
  });

  it('weighs its entries, and tells of each that went', () => {
    const gone: string[] = [];
    const weigh = (_key: string, value: number) => value;
    const bounded = createBounded<number>({ max: 10, weigh, onGone: (key, value) => gone.push(`${key}${value}`) });
    bounded.set('a', 4);
    bounded.set('b', 4);
    bounded.set('a', 1);
    assert.deepEqual([gone.splice(0), bounded.weight], [['a4'], 5]);
    bounded.set('c', 6);
    assert.deepEqual([gone.splice(0), bounded.weight], [['b4'], 7]);
    bounded.set('d', 11);
    assert.deepEqual([gone.splice(0), bounded.weight], [['a1', 'c6', 'd11'], 0]);
  });
});
