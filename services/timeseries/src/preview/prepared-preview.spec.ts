import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { marketState, presentMarket } from '@almanac/contracts';
import type { MarketContext } from '../market-context.js';
import { sourceKeyOf, freshnessOf, windowMsMax } from './prepared-preview.js';

const nowMs = 1_772_000_000_000;
const behindMsMax = 5_000;

const marketOf = ({ version = 7, live = true, closeUs = 9e15 } = {}): MarketContext => {
  const state = marketState.parse({ ticker: 'A' });
  const times = { openUs: 1, closeUs, lastUs: 2, live, moves: true, nowUs: nowMs * 1_000 };
  return {
    state,
    entry: presentMarket(state, null, times.nowUs),
    version,
    minUs: 1,
    stored: null,
    times,
    asOfUs: null,
  };
};

const freshness = (preview: MarketContext, ageMs: number, market: MarketContext) =>
  freshnessOf({ from: sourceKeyOf(preview), madeMs: nowMs - ageMs }, market, { nowMs, behindMsMax });

describe('a prepared preview', () => {
  it('of a closed market is valid for exactly its data, for good', () => {
    const over = { live: false };
    assert.equal(freshness(marketOf(over), 1e9, marketOf(over)), 'current');
    assert.equal(freshness(marketOf({ ...over, version: 6 }), 0, marketOf(over)), 'useless');
    assert.equal(freshness(marketOf({ ...over, version: 8 }), 0, marketOf(over)), 'useless');
    assert.equal(freshness(marketOf({ ...over, closeUs: 5 }), 0, marketOf(over)), 'useless', 'another close');
    assert.equal(freshness(marketOf(), 0, marketOf(over)), 'useless', 'made while it was live');
  });

  it('of a live market is served while its data changes, up to a limit', () => {
    const older = marketOf({ version: 6 });
    assert.equal(freshness(older, 0, marketOf()), 'behind');
    assert.equal(freshness(older, behindMsMax, marketOf()), 'behind');
    assert.equal(freshness(older, behindMsMax + 1, marketOf()), 'useless');
    assert.equal(freshness(older, -behindMsMax - 1, marketOf()), 'useless', 'the clock was turned back');
    assert.equal(freshness(marketOf({ closeUs: 5 }), behindMsMax + 1, marketOf()), 'useless', 'a corrected close');
  });

  it('of a live market with the same data is renewed when its window has moved on, and served meanwhile', () => {
    assert.equal(freshness(marketOf(), windowMsMax, marketOf()), 'current');
    assert.equal(freshness(marketOf(), windowMsMax + 1, marketOf()), 'behind');
    assert.equal(freshness(marketOf(), 1e9, marketOf()), 'behind');
  });
});
