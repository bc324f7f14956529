import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutToWindow } from './default-window.js';

const day = 86_400_000_000;
const at = (...keys: number[]) => keys.map((key) => ({ position: { key, id: 'M' } }));

describe('the default window of a listing', () => {
  it('reaches back from the newest past close, its last instant included, and includes live markets', () => {
    const markets = at(20 * day, 11 * day, 10 * day, 9 * day + 1, 9 * day, 9 * day - 1, 8 * day);
    const { listed, window } = cutToWindow(markets, { window: [10 * day], days: 1 });
    assert.deepEqual([listed, window], [markets.slice(0, 5), 9 * day - 1]);
    assert.equal(cutToWindow(markets, { window: [10 * day], days: 2 }).listed.length, 7);
  });

  it('is set on a later page when the first page held live markets only, as of the time of the first page', () => {
    const first = cutToWindow(at(20 * day, 11 * day), { window: [10 * day], days: 1 });
    assert.deepEqual(first.window, [10 * day]);
    // One of the live markets has closed since.
    const second = cutToWindow(at(10 * day + 5, 9 * day, 8 * day), { window: first.window, days: 1 });
    assert.deepEqual([second.listed.length, second.window], [3, 8 * day - 1]);
  });

  it('stays the same once it is set, and cuts nothing when there is none', () => {
    const markets = at(9 * day, 1);
    assert.deepEqual(cutToWindow(markets, { window: 0, days: 1 }), { listed: markets, window: 0 });
    assert.deepEqual(cutToWindow(markets, { window: null, days: 1 }), { listed: markets, window: null });
    assert.deepEqual(cutToWindow(at(5), { window: [day], days: 7 }).window, -1);
  });
});
