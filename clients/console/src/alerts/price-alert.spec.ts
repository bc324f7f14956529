import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  alertsIn,
  begun,
  compared,
  isWaiting,
  onTick,
  type PriceAlert,
  priceIn,
  type PricesAt,
} from './price-alert.js';

const waiting: PriceAlert = {
  id: '1',
  ticker: 'M',
  title: 'A market',
  of: 'mid',
  price: 0.6,
  set_ts: 1_000,
  side: 'below',
  last_ts: 1_000,
  known_ts: 1_000,
  crossing: null,
  ended_ts: null,
  isSeen: false,
};
const row = (ts: number, bid: number | null, ask: number | null = bid === null ? null : bid + 0.02): PricesAt => ({
  ts,
  yes_best_bid: bid,
  yes_best_ask: ask,
});

describe('an alert of a price', () => {
  it('fires at the first observation at or beyond its price, from either side', () => {
    const rows = [row(1_001, 0.5), row(1_002, 0.59), row(1_003, 0.7)];
    assert.deepEqual(compared(waiting, rows).crossing, { ts: 1_002, value: 0.6, before_ts: 1_001 });
    const above: PriceAlert = { ...waiting, side: 'above' };
    const falls = [row(1_001, 0.7), row(1_002, 0.3), row(1_003, 0.7)];
    assert.deepEqual(compared(above, falls).crossing, { ts: 1_002, value: 0.31, before_ts: 1_001 });
  });

  it('sees a price that was beyond it for one observation, and is back', () => {
    const { crossing } = compared(waiting, [row(1_001, 0.5), row(1_001.2, 0.8), row(1_001.4, 0.5)]);
    assert.equal(crossing?.ts, 1_001.2);
  });

  it('compares each observation once, and nothing from before it was set', () => {
    const rows = [row(999, 0.9), row(1_000, 0.9), row(1_001, 0.5)];
    const later = compared(waiting, rows);
    assert.deepEqual(later, { ...waiting, last_ts: 1_001, known_ts: 1_001 });
    assert.equal(compared(later, rows), later);
  });

  it('waits for the bid or the ask alone, also where the other side has none', () => {
    assert.equal(compared({ ...waiting, of: 'bid' }, [row(1_001, 0.59), row(1_002, 0.6)]).crossing?.ts, 1_002);
    assert.equal(compared({ ...waiting, of: 'ask' }, [row(1_001, 0.57), row(1_002, 0.58)]).crossing?.ts, 1_002);
    assert.equal(compared({ ...waiting, of: 'bid' }, [row(1_001, 0.7, null)]).crossing?.value, 0.7);
    assert.equal(compared(waiting, [row(1_001, 0.7, null)]).crossing, null);
  });

  it('says how old the price before is, so that a gap is seen', () => {
    assert.deepEqual(compared(waiting, [row(5_000, 0.8)]).crossing, { ts: 5_000, value: 0.81, before_ts: 1_000 });
  });

  it('begins with what the market costs now, and not with what its person saw', () => {
    const set: PriceAlert = { ...waiting, last_ts: null };
    assert.deepEqual(begun(set, row(1_010, 0.8)), { ...set, side: 'above', last_ts: 1_010, known_ts: 1_010 });
    assert.equal(compared(begun(set, row(1_010, 0.8)), [row(1_011, 0.9)]).crossing, null);
  });

  it('begins in a gap with the price that its person saw', () => {
    const set: PriceAlert = { ...waiting, last_ts: null, known_ts: 400 };
    for (const now of [undefined, { ts: null }]) assert.deepEqual(begun(set, now), { ...set, last_ts: 1_000 });
    const rows = [row(999, 0.9), row(1_020, 0.8)];
    assert.deepEqual(compared(begun(set, undefined), rows).crossing, { ts: 1_020, value: 0.81, before_ts: 400 });
  });

  it('that is set at the price itself waits until the price has left it', () => {
    const at = begun({ ...waiting, last_ts: null }, row(1_010, 0.59));
    assert.equal(at.side, null);
    const same = compared(at, [row(1_011, 0.59)]);
    assert.equal(same.crossing, null);
    assert.equal(compared(same, [row(1_012, 0.7), row(1_013, 0.58)]).crossing?.ts, 1_013);
  });
});

describe('the price of an alert', () => {
  it('is between 0 and 1, with a point or a comma', () => {
    for (const [text, price] of [
      ['0.62', 0.62],
      [' .5 ', 0.5],
      ['0,125', 0.125],
    ] as const)
      assert.equal(priceIn(text), price, text);
    for (const text of ['', '0', '1', '1.2', '-0.5', '62', 'a', '0.5x', '1e-1', '0.00001'])
      assert.equal(priceIn(text), undefined, text);
  });

  it('from a place of a chart is a step of the market, and never 0 or 1', () => {
    assert.equal(onTick(0.6249, 0.01), 0.62);
    assert.equal(onTick(0.6249, 0.001), 0.625);
    assert.equal(onTick(-0.1, 0.01), 0.01);
    assert.equal(onTick(1.1, 0.01), 0.99);
  });
});

describe('alerts that a browser has stored', () => {
  it('are read back, without anything that is none', () => {
    assert.deepEqual(alertsIn(JSON.stringify([waiting, null, 7, { ...waiting, price: 'x' }])), [waiting]);
    const broken = [
      { ...waiting, side: 'x' },
      { ...waiting, of: 'y' },
      { ...waiting, crossing: { ts: 1 } },
    ];
    assert.deepEqual(alertsIn(JSON.stringify(broken)), []);
    for (const text of [null, '', '{', 'null', '{}', '7']) assert.deepEqual(alertsIn(text), [], String(text));
  });

  it('are at most 50 that wait, and the newest 20 that do not', () => {
    const many = Array.from({ length: 200 }, (_, at) => ({
      ...waiting,
      id: String(at),
      ended_ts: at % 2 === 0 ? 2_000 : null,
    }));
    const stored = alertsIn(JSON.stringify(many));
    assert.deepEqual([stored.filter(isWaiting).length, stored.length], [50, 70]);
    assert.equal(stored[0]?.id, '0');
  });
});
