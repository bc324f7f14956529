import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atFront, storedIn, type StoredItem } from './stored-lists.js';

const item = (id: string, title = id): StoredItem => ({ kind: 'market', id, title });

describe('what a browser stores for a person', () => {
  it('has each item once, the newest first and with its newest title, and not too many', () => {
    const items = [item('A'), item('B'), item('C')];
    assert.deepEqual(atFront(items, item('B', 'new'), 3), [item('B', 'new'), item('A'), item('C')]);
    assert.deepEqual(atFront(items, item('D'), 3), [item('D'), item('A'), item('B')]);
    assert.deepEqual(atFront(items, { ...item('A'), kind: 'event' }, 2), [{ ...item('A'), kind: 'event' }, item('A')]);
  });

  it('is empty, and without anything that is no item, where the stored text is not its own', () => {
    for (const text of [null, '', '{', 'null', '[]', '7', '{"watched":7}'])
      assert.deepEqual(storedIn(text), { watched: [], recent: [] }, String(text));
    const mixed = JSON.stringify({ watched: [item('A'), null, { kind: 'x', id: 'B', title: 'B' }, 7], recent: [{}] });
    assert.deepEqual(storedIn(mixed), { watched: [item('A')], recent: [] });
  });
});
