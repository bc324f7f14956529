import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gridOf } from './price-grid.js';

const line = (ticker: string, prices: readonly (number | null)[]) => ({
  ticker,
  ts: prices.map((_, at) => at),
  prices,
});

describe('the grid of the markets of an event', () => {
  it('has a row for each market, and nothing where no price is known', () => {
    const { rows, columns, values } = gridOf([line('A', [0.1, null]), line('B', [null, 0.4])], 10);
    assert.deepEqual([rows, columns, [...values]], [[['A'], ['B']], 2, [0.1, Number.NaN, Number.NaN, 0.4]]);
  });

  it('has the highest price of neighbours where there are more markets than rows', () => {
    const lines = [line('A', [0.1]), line('B', [0.9]), line('C', [null]), line('D', [0.3]), line('E', [0.2])];
    const { rows, values } = gridOf(lines, 3);
    assert.deepEqual(
      [rows, [...values]],
      [
        [['A', 'B'], ['C', 'D'], ['E']],
        [0.9, 0.3, 0.2],
      ],
    );
  });

  it('has an empty row for a market whose prices are still to come', () => {
    const { rows, columns, values } = gridOf([line('A', []), line('B', [0.2])], 10);
    assert.deepEqual([rows, columns, [...values]], [[['A'], ['B']], 1, [Number.NaN, 0.2]]);
  });
});
