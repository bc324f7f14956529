import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTimeOf } from '../requests/as-of.js';
import { marketState, seriesState } from './catalog.js';
import { DomainError } from '../errors.js';
import { marketAsOf, presentMarketAt, seriesAsOf } from './market-as-of.js';
import { changesMax, type KnownValues } from './market-history.js';

const known = (known_us: number | null, values: KnownValues['values']): KnownValues => ({
  known_us,
  basis: known_us === null ? null : 'recorded',
  values,
});
const stateOf = (history: KnownValues[], more: object = {}) =>
  marketState.parse({ ticker: 'A', series: 'S', history, ...more });

describe('a market as of a time', () => {
  const state = stateOf(
    [known(10, { title: 'One', close_us: '90' }), known(20, { close_us: '70' }), known(80, { result: 'yes' })],
    {
      title: 'One',
      close_us: 70,
      result: 'yes',
      capture: 'l2',
      coin_price_end: '5',
      last_price: { price: '4', us: 60 },
      trades: { n: 1, volume: '2' },
    },
  );

  it('does not exist before anything of it was known, and from then on it does', () => {
    assert.equal(marketAsOf(state, 9), undefined);
    assert.equal(marketAsOf(state, 10)?.close_us, 90);
    assert.equal(marketAsOf(stateOf([known(null, { rules: 'R' })], { result: 'yes' }), 1e15), undefined);
  });

  it('has the version that was known last by then, and its history up to then', () => {
    assert.deepEqual([marketAsOf(state, 19)?.close_us, marketAsOf(state, 20)?.close_us], [90, 70]);
    assert.deepEqual([marketAsOf(state, 79)?.result, marketAsOf(state, 80)?.result], [null, 'yes']);
    assert.equal(marketAsOf(state, 79)?.history.length, 2);
  });

  it('has no value without a knowledge time, except what is fixed by the listing', () => {
    const then = marketAsOf(state, 1e15);
    assert.ok(then !== undefined);
    assert.deepEqual(
      [then.series, then.capture, then.coin_price_end, then.last_price, then.trades],
      ['S', null, null, null, null],
    );
  });

  it('has no value of a field of which later ones may be missing', () => {
    const versions = Array.from({ length: changesMax }, (_, at) => known(at, { close_us: String(at) }));
    assert.equal(marketAsOf(stateOf(versions), changesMax)?.close_us, null);
    assert.equal(marketAsOf(stateOf(versions), changesMax - 2)?.close_us, changesMax - 2);
  });

  it('names what is withheld, whether or not it became known later', () => {
    const then = marketAsOf(state, 50);
    assert.ok(then !== undefined);
    const { withheld = [] } = presentMarketAt(then, null, { nowUs: 50, asOfUs: 50 });
    assert.ok(withheld.includes('result') && withheld.includes('floor_strike') && withheld.includes('capture'));
    assert.ok(!withheld.includes('title') && !withheld.includes('close_ts'));
    assert.ok(!('withheld' in presentMarketAt(then, null, { nowUs: 50, asOfUs: null })));
  });
});

describe('a series as of a time', () => {
  it('has the fees that were known then', () => {
    const fee = (known_us: number | null) => ({
      type: 'flat',
      multiplier: null,
      known_us,
      basis: null,
      valid_from_us: 5,
    });
    const series = seriesState.parse({ id: 'S', fees: [fee(10), fee(30), fee(null)] });
    assert.deepEqual(
      seriesAsOf(series, 20).fees.map(({ known_us }) => known_us),
      [10],
    );
  });
});

describe('the time of a read', () => {
  it('is that of as_of, which has passed', () => {
    assert.deepEqual(readTimeOf(7, 8_000), { nowUs: 7_000_000, asOfUs: 7_000_000 });
    assert.deepEqual(readTimeOf(8, 8_000).asOfUs, 8_000_000);
    assert.equal(readTimeOf(1_771_993_365.058297).asOfUs, 1_771_993_365_058_297);
    assert.equal(readTimeOf(7.0000019, 8_000).asOfUs, 7_000_001, 'never a later time');
    assert.deepEqual(readTimeOf(undefined, 8_000), { nowUs: 8_000_000, asOfUs: null });
    assert.throws(
      () => readTimeOf(9, 8_000),
      (error: unknown) => error instanceof DomainError && error.code === 'as_of_in_future',
    );
  });
});
