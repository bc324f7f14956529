import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogueFact, market, marketState, statusOf } from './catalog.js';
import { presentMarket, provenanceOf } from './present-market.js';

const bare = marketState.parse({ ticker: 'T95999.99' });

describe('the status of a market', () => {
  const settled = { ...bare, result: 'yes' };
  it('is live until its close, whatever else is known', () => {
    assert.equal(statusOf({ ...settled, close_us: 100, venue_status: 'settled' }, 99), 'live');
  });
  it('is closed from its close on, and finalized once its result or settlement is known', () => {
    assert.equal(statusOf({ ...bare, close_us: 100 }, 100), 'closed');
    assert.equal(statusOf({ ...settled, close_us: 100 }, 100), 'finalized');
    assert.equal(statusOf({ ...bare, close_us: 100, settlement_us: 90 }, 101), 'finalized');
  });
  it('without a close time is the status that its venue reports', () => {
    for (const venue_status of ['open', 'active']) assert.equal(statusOf({ ...bare, venue_status }, 1), 'live');
    assert.equal(statusOf({ ...bare, venue_status: 'settled' }, 1), 'closed');
    assert.equal(statusOf(settled, 1), 'finalized');
    assert.equal(statusOf(bare, 1), 'closed');
  });
});

describe('presentMarket', () => {
  it('fills every field, even when next to nothing is known', () => {
    const shown = presentMarket(bare, null, 1);
    assert.deepEqual(market.parse(shown), shown);
    assert.deepEqual(Object.keys(shown).toSorted(), Object.keys(market.omit({ withheld: true }).shape).toSorted());
  });
  it('shows exact prices and times, and observed prices only where no source gave any', () => {
    const observed = { price: '65541.895', us: 5 };
    const state = { ...bare, open_us: 5, close_us: 1_771_993_365_058_297, open_price: observed, last_price: observed };
    const known = { ...state, coin_price_end: '1.5', floor_strike: '95999.99' };
    const shown = presentMarket(known, 'rolling', state.close_us);
    assert.equal(shown.close_ts, 1771993365.058297);
    assert.deepEqual([shown.coin_price_start, shown.coin_price_end], [65541.895, 1.5]);
    assert.deepEqual([shown.floor_strike, shown.shape, shown.status], [95999.99, 'rolling', 'closed']);
  });
  it('shows the last coin price observed in the 60 s up to the open or the close, and its age, but no other', () => {
    const times = { ticker: 'M', open_us: 1_000_000_000, close_us: 1_900_000_000 };
    const shown = (startUs: number, endUs: number, more: object = times) => {
      const prices = { open_price: { price: '1.5', us: startUs }, last_price: { price: '2.5', us: endUs } };
      const state = marketState.parse({ ...more, ...prices });
      const { coin_price_start, coin_price_end } = presentMarket(state, null, 2_000_000_000);
      const { coin_price_start_age_s: startAge, coin_price_end_age_s: endAge } = provenanceOf(state, 2_000_000_000);
      return [coin_price_start, startAge, coin_price_end, endAge];
    };
    assert.deepEqual(shown(1_000_000_000, 1_900_000_000), [1.5, 0, 2.5, 0]);
    assert.deepEqual(shown(940_000_000, 1_840_000_000), [1.5, 60, 2.5, 60]);
    assert.deepEqual(shown(939_999_999, 1_839_999_999), [null, null, null, null]);
    assert.deepEqual(shown(1_000_000_001, 1_900_000_001), [null, null, null, null]);
    assert.deepEqual(shown(1_000_000_000, 1_900_000_000, { ticker: 'M' }), [null, null, null, null]);
    assert.deepEqual(shown(0, 0, { ...times, coin_price_start: '7', coin_price_end: '8' }), [7, null, 8, null]);
  });
  it('shows no end price while the market is live, whatever was observed last', () => {
    const state = marketState.parse({ ticker: 'M', close_us: 10, last_price: { price: '1.5', us: 9 } });
    assert.equal(presentMarket(state, null, 9).coin_price_end, null);
    assert.equal(presentMarket(state, null, 10).coin_price_end, 1.5);
  });
});

describe('a catalogue fact', () => {
  it('reads absent fields as null', () => {
    const { kind, ticker, ...others } = { ...catalogueFact.parse({ kind: 'market', ticker: 'A' }), ticker: 'A' };
    assert.deepEqual([kind, ticker], ['market', 'A']);
    assert.ok(Object.values(others).every((value) => value === null));
    const series = catalogueFact.parse({ kind: 'series', id: 'S', label: 'L' });
    assert.deepEqual(series, {
      kind: 'series',
      id: 'S',
      label: 'L',
      derived_label: null,
      category: null,
      category_label: null,
      shape: null,
    });
  });
  it('needs an id of its kind', () => {
    for (const fact of [
      { kind: 'market' },
      { kind: 'market', ticker: '' },
      { kind: 'event' },
      { kind: 'x', id: 'a' },
    ]) {
      assert.equal(catalogueFact.safeParse(fact).success, false);
    }
  });
});
