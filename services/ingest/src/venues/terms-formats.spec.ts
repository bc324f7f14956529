import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KnownValues, rulesCharsMax } from '@almanac/contracts';
import { catalogueFormatOf } from './catalogue-formats.js';
import { knownCatalogue } from '../sources/known-catalogue.js';
import type { JsonObject } from '../sources/source.js';

const us = (iso: string): number => Date.parse(iso) * 1_000;
const readAll = (record: JsonObject, receivedUs: number | null = null) => {
  const format = catalogueFormatOf(record);
  assert.ok(format);
  return format.read(record, knownCatalogue(), receivedUs);
};
const historyOf = (record: JsonObject, receivedUs: number | null = null): readonly KnownValues[] => {
  const [fact] = readAll(record, receivedUs).facts.filter(({ kind }) => kind === 'market');
  assert.ok(fact?.kind === 'market');
  return fact.history ?? [];
};
/** The knowledge time and basis of each field. */
const timesOf = (history: readonly KnownValues[]) =>
  Object.fromEntries(
    history.flatMap(({ values, known_us, basis }) => Object.keys(values).map((field) => [field, [known_us, basis]])),
  );

const market = {
  ticker: 'KXBTC-26APR1817-B76125',
  event_ticker: 'KXBTC-26APR1817',
  title: 'Bitcoin price?',
  status: 'finalized',
  result: 'no',
  created_time: '2026-04-16T20:00:00.5Z',
  open_time: '2026-04-17T21:00:00Z',
  close_time: '2026-04-18T21:00:00Z',
  settlement_ts: '2026-04-18T21:05:00.123456Z',
  floor_strike: '76000',
  expiration_value: '75912.34',
  rules_primary: 'If the price is above 76000.',
  rules_secondary: 'The source is CF.',
  price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0010' }],
};
const created = [us('2026-04-16T20:00:00Z') + 500_000, 'venue'];
const settled = [us('2026-04-18T21:05:00Z') + 123_456, 'venue'];

describe('knowledge times of market objects', () => {
  it('are those of the venue: creation, open for the strike, settlement for what was settled', () => {
    assert.deepEqual(timesOf(historyOf(market)), {
      title: created,
      rules: created,
      tick_size: created,
      open_us: created,
      close_us: created,
      floor_strike: [us(market.open_time), 'venue'],
      venue_status: settled,
      result: settled,
      settlement_us: settled,
      expiration_value: settled,
    });
  });

  it('are the receipt for every value, if the source has one', () => {
    const times = new Set(Object.values(timesOf(historyOf(market, 77))).map((time) => JSON.stringify(time)));
    assert.deepEqual([...times], ['[77,"recorded"]']);
    assert.equal(historyOf(market, 77).length, 1);
  });

  it('do not tell an early close before it happened', () => {
    const early = { ...market, can_close_early: true };
    assert.deepEqual(timesOf(historyOf(early))['close_us'], [us(market.close_time), 'inferred']);
    assert.deepEqual(timesOf(historyOf({ ...early, status: 'active' }))['close_us'], created);
  });

  it('are unknown without any time, and then only terms are stated', () => {
    const undated = { ...market, created_time: '0001-01-01T00:00:00Z', open_time: '', settlement_ts: '' };
    const history = historyOf(undated);
    assert.deepEqual(history, [
      {
        known_us: null,
        basis: null,
        values: { rules: `${market.rules_primary}\n\n${market.rules_secondary}`, tick_size: '[["0","1","0.001"]]' },
      },
    ]);
    assert.deepEqual(timesOf(historyOf({ ...undated, open_time: market.open_time }))['title'], [
      us(market.open_time),
      'venue',
    ]);
  });

  it('are those of statuses: open, and close as a conclusion', () => {
    const statusTime = (status: string) => timesOf(historyOf({ ...market, status, result: '' }))['venue_status'];
    assert.deepEqual(statusTime('active'), [us(market.open_time), 'venue']);
    assert.deepEqual(statusTime('initialized'), created);
    assert.deepEqual(statusTime('closed'), [us(market.close_time), 'inferred']);
    assert.equal(statusTime('inactive'), undefined);
  });
});

describe('terms of market objects', () => {
  const valuesOf = (record: JsonObject) =>
    Object.assign({}, ...historyOf(record).map(({ values }) => values)) as KnownValues['values'];

  it('are the price steps of each range, or one step in cents', () => {
    const { price_ranges: _ranges, ...older } = market;
    assert.equal(valuesOf({ ...older, tick_size: 1 }).tick_size, '[["0","1","0.01"]]');
    const tapered = [
      { start: '0', end: '0.1', step: '0.001' },
      { start: '0.1', end: '1', step: '0.01' },
    ];
    assert.equal(valuesOf({ ...older, price_ranges: tapered }).tick_size, '[["0","0.1","0.001"],["0.1","1","0.01"]]');
    assert.equal(valuesOf({ ...older, price_ranges: [{ start: '0', end: '1' }] }).tick_size, undefined);
  });

  it('are dropped and counted if they are too long to be stored', () => {
    const { dropped } = readAll({ ...market, rules_primary: 'x'.repeat(rulesCharsMax + 1) });
    assert.deepEqual(dropped, [`rules: longer than ${rulesCharsMax} characters`]);
  });

  it('of Polymarket are its description and its smallest step', () => {
    const gamma = {
      slug: 'will-it-rain',
      conditionId: '0x1',
      question: 'Will it rain?',
      outcomes: '["Yes", "No"]',
      description: 'This market resolves to "Yes" if it rains.',
      orderPriceMinTickSize: '0.001',
      createdAt: '2026-06-01T10:00:00Z',
      active: true,
      closed: false,
      startDate: '2026-06-01T11:00:00Z',
    };
    assert.deepEqual(historyOf(gamma), [
      {
        known_us: us('2026-06-01T10:00:00Z'),
        basis: 'venue',
        values: {
          title: 'Will it rain?',
          open_us: String(us('2026-06-01T11:00:00Z')),
          rules: gamma.description,
          tick_size: '[["0","1","0.001"]]',
        },
      },
      { known_us: us('2026-06-01T11:00:00Z'), basis: 'venue', values: { venue_status: 'active' } },
    ]);
  });
});

describe('fees of series', () => {
  const series = { ticker: 'CO2', title: 'US CO2', category: 'Climate', frequency: 'monthly', fee_type: 'quadratic' };
  const feesOf = (record: JsonObject, receivedUs: number | null) =>
    readAll(record, receivedUs).facts.flatMap((fact) => (fact.kind === 'series' ? [[fact.id, fact.fees]] : []));
  const fee = { type: 'quadratic', multiplier: '1', valid_from_us: null };

  it('are read from series objects, known from their receipt', () => {
    const stated = { ...series, fee_multiplier: 1 };
    assert.deepEqual(feesOf(stated, 77), [['CO2', [{ ...fee, known_us: 77, basis: 'recorded' }]]]);
    assert.deepEqual(feesOf(stated, null), [['CO2', [{ ...fee, known_us: null, basis: null }]]]);
    assert.deepEqual(feesOf({ ...series, fee_type: null }, 77), [['CO2', undefined]]);
  });

  it("are read from Polymarket's markets and events, with the rate as the factor", () => {
    const gamma = {
      slug: 'btc-updown-5m-1780876500',
      conditionId: '0x1',
      outcomes: '["Up", "Down"]',
      feesEnabled: true,
      feeType: 'crypto_fees_v2',
      feeSchedule: { exponent: '1', rate: '0.07', takerOnly: true, rebateRate: '0.2' },
    };
    const crypto = { type: 'crypto_fees_v2', multiplier: '0.07', valid_from_us: null };
    assert.deepEqual(feesOf(gamma, 77), [['btc-updown-5m', [{ ...crypto, known_us: 77, basis: 'recorded' }]]]);
    assert.deepEqual(feesOf(gamma, null), [['btc-updown-5m', [{ ...crypto, known_us: null, basis: null }]]]);
    const event = { slug: 'btc-updown-5m-1780876500', title: 'BTC', markets: [gamma] };
    assert.deepEqual(feesOf(event, 77), [['btc-updown-5m', [{ ...crypto, known_us: 77, basis: 'recorded' }]]]);
    const { feeSchedule: _none, ...unscheduled } = gamma;
    const unstated = { ...crypto, multiplier: null, known_us: 77, basis: 'recorded' };
    assert.deepEqual(feesOf(unscheduled, 77), [['btc-updown-5m', [unstated]]]);
    assert.deepEqual(feesOf({ ...gamma, feesEnabled: false }, 77), [['btc-updown-5m', undefined]]);
  });

  it('are read from scheduled changes, known when they begin at the latest', () => {
    const change = {
      id: '7',
      series_ticker: 'CO2',
      fee_type: 'quadratic',
      fee_multiplier: '0.5',
      scheduled_ts: '2026-02-01T00:00:00Z',
    };
    const start = us(change.scheduled_ts);
    const changed = { ...fee, multiplier: '0.5', valid_from_us: start };
    assert.deepEqual(feesOf(change, null), [['CO2', [{ ...changed, known_us: start, basis: 'inferred' }]]]);
    assert.deepEqual(feesOf(change, 77), [['CO2', [{ ...changed, known_us: 77, basis: 'recorded' }]]]);
  });
});
