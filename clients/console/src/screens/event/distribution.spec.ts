import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { densityAt, distributionOf, ladderKindOf, quantileOf, survivalOf } from './distribution.js';

const market = (floor_strike: number | null, strike_type: string | null) => ({
  ticker: `M${floor_strike}`,
  floor_strike,
  strike_type,
});
const all = (type: string) => [1, 2, 3].map((strike) => market(strike, type));

describe('the distribution that a ladder implies', () => {
  it('needs markets of one kind with a strike each', () => {
    assert.equal(ladderKindOf(all('greater_or_equal')), 'above');
    assert.equal(ladderKindOf(all('less')), 'below');
    assert.equal(ladderKindOf(all('between')), 'between');
    assert.equal(ladderKindOf([...all('greater'), market(4, 'less')]), undefined);
    assert.equal(ladderKindOf([...all('greater'), market(3, 'greater')]), undefined);
    assert.equal(ladderKindOf([...all('greater'), market(null, 'greater')]), undefined);
    assert.equal(ladderKindOf(all('greater').slice(0, 2)), undefined);
  });

  it('has the probability of each strike, which never grows, from prices above and below', () => {
    const above = survivalOf('above', [
      [1, 0.9],
      [2, 0.5],
      [3, 0.52],
      [4, null],
      [5, 0.1],
    ]);
    assert.deepEqual(above, { bounds: [1, 2, 3, 5], shares: [0.9, 0.5, 0.5, 0.1] });
    const below = survivalOf('below', [
      [1, 0.25],
      [2, 0.5],
      [3, 0.75],
    ]);
    assert.deepEqual(below, { bounds: [1, 2, 3], shares: [0.75, 0.5, 0.25] });
    assert.equal(survivalOf('above', [[1, 0.5]]), undefined);
  });

  it('has bands as shares of their sum, and nothing where one of them is not known', () => {
    const bands = survivalOf('between', [
      [10, 0.25],
      [20, 0.5],
      [30, 0.5],
    ]);
    assert.deepEqual(bands?.bounds, [10, 20, 30, 40]);
    assert.deepEqual(
      bands.shares.map((share) => Number(share.toFixed(6))),
      [1, 0.8, 0.4, 0],
    );
    assert.equal(
      survivalOf('between', [
        [10, 0.25],
        [20, null],
        [30, 0.5],
        [40, 0.1],
      ]),
      undefined,
    );
  });

  it('has quantiles between its bounds, and none outside of them', () => {
    const survival = { bounds: [0, 10, 20], shares: [0.8, 0.4, 0.2] };
    assert.ok(Math.abs((quantileOf(survival, 0.5) ?? 0) - 7.5) < 1e-9);
    assert.equal(quantileOf(survival, 0.6), 10);
    assert.equal(quantileOf(survival, 0.1), null);
    assert.equal(quantileOf(survival, 0.9), null);
    assert.ok(Math.abs(densityAt(survival, 5) - 0.04) < 1e-12);
    assert.equal(densityAt(survival, 25), 0);
  });

  it('is made for each time', () => {
    const line = (strike: number, prices: readonly (number | null)[]) =>
      [`M${strike}`, { ticker: `M${strike}`, ts: [100, 200], prices }] as const;
    const lines = new Map([line(1, [0.9, null]), line(2, [0.5, null]), line(3, [0.1, 0.1])]);
    const { ts, quantiles } = distributionOf('above', all('greater'), lines);
    assert.deepEqual(ts, [100, 200]);
    assert.deepEqual(quantiles, { low: [1, null], median: [2, null], high: [3, null] });
  });
});
