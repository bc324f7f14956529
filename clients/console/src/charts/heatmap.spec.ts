import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Snapshot } from '@almanac/client';
import { askOf, heatmapOf, strengthOf } from './heatmap.js';
import { ladderOf } from './ladder.js';

type Levels = NonNullable<Snapshot['orderbook_yes']>;
const book = (ts: number, orderbook_yes: Levels, orderbook_no: Levels = []): Snapshot => ({
  ts,
  venue_ts: null,
  seq: null,
  yes_best_bid: null,
  yes_best_ask: null,
  coin_price: null,
  orderbook_yes,
  orderbook_no,
});
const shown = { from: 0, to: 40 };

describe('the heatmap of order books', () => {
  it('has each level in the row of its price, at every time until the next book', () => {
    const map = heatmapOf({ snapshots: [book(0, [[0.29, 7]]), book(20, [[0.31, 5]])], gaps: [], until: 100 }, shown, 4);
    assert.ok(map !== undefined);
    assert.deepEqual([map.columns, map.sizeMax], [4, 7]);
    const rowOf = (price: number): number => Math.floor((price - map.priceMin) / map.priceStep + 1e-6);
    const row = (price: number): number[] => Array.from(map.bids.slice(rowOf(price) * 4, rowOf(price) * 4 + 4));
    assert.deepEqual(row(0.29), [7, 7, 0, 0]);
    assert.deepEqual(row(0.31), [0, 0, 5, 5]);
  });

  it('shows bids of no as asks of yes at one minus their price', () => {
    assert.deepEqual(askOf([0.71, 3]), [0.29, 3]);
    const map = heatmapOf({ snapshots: [book(0, [[0.2, 1]], [[0.7, 9]])], gaps: [], until: 100 }, shown, 1);
    assert.equal(Math.max(...(map?.asks ?? [])), 9);
    assert.equal(map?.asks.at(-1), 9);
    assert.equal(map?.bids.at(0), 1);
  });

  it('knows nothing before the first book and in a gap', () => {
    const gap = { start_ts: 10, end_ts: 20, reason: 'restart', missing: 'books' } as const;
    const map = heatmapOf(
      { snapshots: [book(6, [[0.5, 1]]), book(25, [[0.5, 2]]), book(39, [[0.5, 3]])], gaps: [gap], until: 100 },
      shown,
      8,
    );
    const known = [...(map?.bids ?? [])].slice(0, 8).map((size) => (Number.isNaN(size) ? '-' : size));
    assert.deepEqual(known, ['-', 1, '-', '-', 1, 2, 2, 2]);
  });

  it('knows nothing after the close', () => {
    const map = heatmapOf({ snapshots: [book(0, [[0.5, 1]])], gaps: [], until: 20 }, shown, 2);
    assert.deepEqual([...(map?.bids ?? [])], [1, Number.NaN]);
  });

  it('has no rows between the steps of the prices', () => {
    const levels = [0.4, 0.41, 0.44].map((price) => [price, 1] as [number, number]);
    const map = heatmapOf({ snapshots: [book(0, levels)], gaps: [], until: 100 }, shown, 1);
    assert.deepEqual([map?.priceStep, [...(map?.bids ?? [])]], [0.01, [1, 1, 0, 0, 1]]);
  });

  it('has rows fine enough for prices below a cent, and at most a hundred', () => {
    const fine = heatmapOf(
      {
        snapshots: [
          book(0, [
            [0.009, 1],
            [0.0085, 2],
          ]),
        ],
        gaps: [],
        until: 100,
      },
      shown,
      1,
    );
    assert.deepEqual([fine?.priceStep, [...(fine?.bids ?? [])]], [0.0005, [2, 1]]);
    const wide = heatmapOf(
      {
        snapshots: [
          book(0, [
            [0.99, 1],
            [0.001, 2],
          ]),
        ],
        gaps: [],
        until: 100,
      },
      shown,
      1,
    );
    assert.ok((wide?.rows ?? 999) <= 101);
  });

  it('is nothing without books', () => {
    assert.equal(
      heatmapOf(
        { snapshots: [{ ...book(0, []), orderbook_yes: null, orderbook_no: null }], gaps: [], until: 100 },
        shown,
        4,
      ),
      undefined,
    );
  });

  it('is stronger for more contracts, and empty for none', () => {
    assert.equal(strengthOf(0, 100), 0);
    assert.equal(strengthOf(100, 100), 1);
    assert.ok(strengthOf(10, 100) < strengthOf(50, 100));
  });
});

describe('the ladder of a book', () => {
  it('goes from the highest ask to the lowest bid, with the contracts up to each level', () => {
    const rungs = ladderOf(
      [
        [0.4, 0.1],
        [0.39, 0.2],
      ],
      [
        [0.55, 5],
        [0.5, 6],
      ],
    );
    assert.deepEqual(
      rungs.map(({ side, price, depth }) => [side, price, depth]),
      [
        ['ask', 0.5, 11],
        ['ask', 0.45, 5],
        ['bid', 0.4, 0.1],
        ['bid', 0.39, 0.3],
      ],
    );
  });
});
