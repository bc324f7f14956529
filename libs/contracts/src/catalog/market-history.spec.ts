import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type KnownValues,
  presentFee,
  presentHistory,
  presentRules,
  presentTickSize,
  type SeriesFee,
  tickSizeText,
} from './market-history.js';

const at = (known_us: number, values: KnownValues['values']): KnownValues => ({ known_us, basis: 'recorded', values });
const undated = (values: KnownValues['values']): KnownValues => ({ known_us: null, basis: null, values });
const nothing = { venue_status: null, close_us: null, result: null, settlement_value: null };

describe('the terms of a market', () => {
  it('are the version that was known last, and one of unknown time only if there is no other', () => {
    const history = [at(1_000_000, { rules: 'old' }), at(2_000_000, { rules: 'new' }), undated({ rules: 'some' })];
    assert.deepEqual(presentRules(history), { text: 'new', valid_from_ts: 2, known_ts: 2, basis: 'recorded' });
    assert.deepEqual(presentRules(history.slice(2)), {
      text: 'some',
      valid_from_ts: null,
      known_ts: null,
      basis: null,
    });
    assert.equal(presentRules([]), null);
  });

  it('have the price steps of each range, and the smallest', () => {
    const text = tickSizeText([
      ['0', '0.1', '0.001'],
      ['0.1', '1', '0.01'],
    ]);
    assert.deepEqual(presentTickSize([at(5_000_000, { tick_size: text })]), {
      value: 0.001,
      ranges: [
        { start: 0, end: 0.1, step: 0.001 },
        { start: 0.1, end: 1, step: 0.01 },
      ],
      valid_from_ts: 5,
      known_ts: 5,
      basis: 'recorded',
    });
    assert.equal(presentTickSize([at(5, { tick_size: 'one cent' })]), null);
    assert.equal(presentTickSize([]), null);
  });

  it('have the fee at the time of the answer, and the time of the next one', () => {
    const fee = (multiplier: string, valid_from_us: number | null, known_us: number | null): SeriesFee => ({
      type: 'quadratic',
      multiplier,
      valid_from_us,
      known_us,
      basis: known_us === null ? null : 'recorded',
    });
    const fees = [fee('1', null, 1_000_000), fee('2', 5_000_000, 2_000_000), fee('2', null, 8_000_000)];
    const multiplierAt = (nowUs: number) => {
      const { fee: shown, nextUs } = presentFee(fees, nowUs);
      return [shown?.multiplier, shown?.valid_from_ts, shown?.known_ts, nextUs];
    };
    assert.deepEqual(presentFee(fees, 0), { fee: null, nextUs: 1_000_000 });
    assert.deepEqual(multiplierAt(4_999_999), [1, 1, 1, 5_000_000]);
    assert.deepEqual(multiplierAt(5_000_000), [2, 5, 2, 8_000_000]);
    // The same fee, stated again, is valid from its first statement.
    assert.deepEqual(multiplierAt(9_000_000), [2, 5, 2, null]);
    assert.deepEqual(presentFee([fee('1', null, null)], 0).fee?.valid_from_ts, null);
    assert.deepEqual(presentFee([], 0), { fee: null, nextUs: null });
  });
});

describe('the history of a market', () => {
  it('lists status, close, result and settlement value, and hides other values', () => {
    const history = [
      at(1_000_000, { title: 'T', venue_status: 'active', close_us: '9000000', rules: 'R' }),
      at(10_000_000, { venue_status: 'settled', result: 'scalar', settlement_value: '0.37' }),
    ];
    const current = { venue_status: 'settled', close_us: 9_000_000, result: 'scalar', settlement_value: '0.37' };
    assert.deepEqual(presentHistory(history, current), {
      history: [
        { field: 'venue_status', value: 'active', known_ts: 1, basis: 'recorded' },
        { field: 'close_ts', value: 9, known_ts: 1, basis: 'recorded' },
        { field: 'venue_status', value: 'settled', known_ts: 10, basis: 'recorded' },
        { field: 'result', value: 'scalar', known_ts: 10, basis: 'recorded' },
        { field: 'settlement_value', value: 0.37, known_ts: 10, basis: 'recorded' },
      ],
      history_has_more: false,
    });
  });

  it('lists a value that no source dates without a time, so that no shown value is missing', () => {
    const { history } = presentHistory([at(1_000_000, { result: 'no' })], { ...nothing, result: 'yes', close_us: 2e6 });
    assert.deepEqual(history, [
      { field: 'result', value: 'no', known_ts: 1, basis: 'recorded' },
      { field: 'close_ts', value: 2, known_ts: null, basis: null },
      { field: 'result', value: 'yes', known_ts: null, basis: null },
    ]);
    assert.deepEqual(presentHistory([], { ...nothing, result: '' }).history, []);
  });

  it('says that it may have more changes when a field has as many as are kept', () => {
    const closes = Array.from({ length: 32 }, (_, n) => at(n, { close_us: String(n) }));
    assert.equal(presentHistory(closes, nothing).history_has_more, true);
    assert.equal(presentHistory(closes.slice(1), nothing).history_has_more, false);
  });
});
