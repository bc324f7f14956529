import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Candle, CoverageGap } from '@almanac/client';
import { columnsOf, pointOfCandle, pointOfSnapshot, type PricePoint, withBreaks, withDetail } from './price-points.js';

const point = (ts: number, span_s = 0, bid = 0.4): PricePoint => ({
  ts,
  span_s,
  bid,
  ask: 0.5,
  mid: 0.45,
  coin: null,
  open: null,
  high: null,
  low: null,
  volume: null,
});
const gap = (start_ts: number, end_ts: number | null, missing: CoverageGap['missing'] = 'all'): CoverageGap => ({
  start_ts,
  end_ts,
  reason: 'restart',
  missing,
});
const timesOf = (points: readonly PricePoint[]): number[] => points.map(({ ts }) => ts);

describe('the points of a price chart', () => {
  it('end their line where a gap begins, and go on after it', () => {
    const points = withBreaks([point(0), point(10), point(40)], [gap(12, 38)]);
    assert.deepEqual(timesOf(points), [0, 10, 12, 40]);
    assert.deepEqual(columnsOf(points, ['bid'])[1], [0.4, 0.4, null, 0.4]);
  });

  it('go on in a gap of books alone', () => {
    assert.deepEqual(timesOf(withBreaks([point(0), point(40)], [gap(12, 38, 'books')])), [0, 40]);
  });

  it('end in an open gap, and ignore one before the first point', () => {
    assert.deepEqual(timesOf(withBreaks([point(20), point(30)], [gap(5, 15), gap(31, null)])), [5, 20, 30, 31]);
  });

  it('stay in order if a gap begins at the time of a point', () => {
    const times = timesOf(withBreaks([point(0), point(10), point(40)], [gap(10, 38)]));
    assert.deepEqual(
      times,
      [...new Set(times)].toSorted((one, other) => one - other),
    );
    assert.equal(times.length, 4);
  });

  it('have the detail of a window in place of the coarse points', () => {
    const coarse = [point(0, 10), point(10, 10), point(20, 10), point(30, 10)];
    const detail = [point(10), point(14), point(18), point(22)];
    assert.deepEqual(timesOf(withDetail(coarse, detail, { from: 10, to: 20 })), [0, 10, 14, 18, 20, 30]);
  });

  it('have strictly rising times whatever the window of the detail', () => {
    const coarse = [point(0, 10), point(10, 10), point(20, 10)];
    for (const from of [-5, 0, 3, 10, 15, 25]) {
      for (const length of [1, 7, 20, 100]) {
        const detail = Array.from({ length: 9 }, (_, at) => point(from + (at * length) / 9, length / 9));
        const times = timesOf(withDetail(coarse, detail, { from, to: from + length }));
        times.forEach((ts, at) =>
          assert.ok(at === 0 || ts > (times[at - 1] ?? 0), `${from}+${length}: ${times.join()}`),
        );
      }
    }
  });

  it('have no noise in the middle of two decimals', () => {
    const snapshot = { ts: 1, venue_ts: null, seq: null, coin_price: null } as const;
    const middle = pointOfSnapshot({ ...snapshot, yes_best_bid: 0.1, yes_best_ask: 0.2 }).mid;
    assert.equal(middle, 0.15);
    assert.equal(pointOfSnapshot({ ...snapshot, yes_best_bid: null, yes_best_ask: 0.2 }).mid, null);
  });

  it('of the candles of a venue are its trades, or the middle of its quotes at both ends, and are marked', () => {
    const range = (open: number | null, close = open) => ({ open, high: 0.9, low: 0.1, close });
    const none = { open: null, high: null, low: null, close: null };
    const candle: Candle = {
      ticker: 'T',
      start_ts: 0,
      end_ts: 60,
      yes_bid: range(0.1, 0.3),
      yes_ask: range(0.2, 0.4),
      mid: none,
      coin_price: none,
      price: { ...none, mean: null, previous: 0.2 },
      volume: 0,
      trades: null,
      observations: 0,
      gap_s: 0,
      source: 'venue',
      venue: 'kalshi',
      venue_period_s: 60,
      open_interest: 7,
    };
    const quiet = pointOfCandle(candle);
    assert.deepEqual([quiet.open, quiet.high, quiet.low, quiet.mid], [0.15, 0.35, 0.15, 0.35]);
    assert.deepEqual([quiet.venue, quiet.openInterest], ['kalshi', 7]);
    const traded = pointOfCandle({ ...candle, price: { ...range(0.2, 0.3), mean: 0.25, previous: 0.2 } });
    assert.deepEqual([traded.open, traded.high, traded.low, traded.mid], [0.2, 0.9, 0.1, 0.3]);
    const own = pointOfCandle({ ...candle, source: 'recorded', venue: null, open_interest: null });
    assert.deepEqual([own.mid, 'venue' in own, 'openInterest' in own], [null, false, false]);
  });
});
