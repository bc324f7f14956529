import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startsOf } from './line-starts.js';

const nextOf = (known: Readonly<Record<string, string>>) => (start: string | undefined) => known[start ?? ''];
const ladder = { pages: [{ length: 4 }, { length: 3 }], starts: [undefined, 'at 4'] };

describe('where the pages of prices begin', () => {
  it('is where the pages of the ladder begin, before any price is known', () => {
    assert.deepEqual(startsOf(ladder, 2, nextOf({})), [undefined, 'at 4']);
  });

  it('goes on after each page that was read, until the next page of the ladder', () => {
    assert.deepEqual(startsOf(ladder, 2, nextOf({ '': 'at 2', 'at 4': 'at 6' })), [undefined, 'at 2', 'at 4', 'at 6']);
    const all = nextOf({ '': 'at 2', 'at 2': 'at 4', 'at 4': 'at 6', 'at 6': 'at 8' });
    assert.deepEqual(startsOf(ladder, 2, all), [undefined, 'at 2', 'at 4', 'at 6']);
  });

  it('is one page of a small event, and none before its ladder is there', () => {
    assert.deepEqual(startsOf({ pages: [{ length: 2 }], starts: [undefined] }, 2, nextOf({})), [undefined]);
    assert.deepEqual(startsOf({ pages: [], starts: [] }, 2, nextOf({})), []);
  });
});
