import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { lazyOrder } from './lazy-order.js';

it('gives the order of a sort, as far as it is read', () => {
  const random = seededRandom(20261130);
  for (let round = 0; round < 50; round += 1) {
    const items = Array.from({ length: Math.floor(random() * 40) }, (_, id) => ({ key: Math.floor(random() * 9), id }));
    const compare = (a: (typeof items)[0], b: (typeof items)[0]): number => b.key - a.key || a.id - b.id;
    const order = lazyOrder(items, compare);
    const sorted = items.toSorted(compare);
    for (const index of [3, 0, 1, items.length - 1, items.length]) assert.equal(order.at(index), sorted[index]);
    assert.deepEqual(
      items.map((_, index) => order.at(index)),
      sorted,
    );
  }
  assert.equal(lazyOrder([], () => 0).at(0), undefined);
});
