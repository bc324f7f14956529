import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import type { z } from 'zod';
import type { Observation } from '../testing/fixture.js';
import { lastKnown, openUs, randomMarket, type RandomMarket, valueOf } from '../testing/random-market.js';
import { startTestedService, type TestedService } from '../testing/service-of-tests.js';
import { candleFaults } from './testing/candle-rules.js';

const { candles, candleBatch } = timeseriesRpc;
const second = 1_000_000;
type Candle = z.output<typeof candles.output>['candles'][number];

const rangeOf = (values: readonly (number | null)[]) => {
  const known = values.filter((value) => value !== null);
  const [open = null] = known;
  const close = known.at(-1) ?? null;
  return open === null
    ? { open, high: null, low: null, close }
    : { open, high: Math.max(...known), low: Math.min(...known), close };
};

/** Exact middles of prices in millionths. */
const midOf = ({ bid, ask }: Observation): number | null =>
  bid === null || bid === undefined || ask === null || ask === undefined
    ? null
    : (Math.round(Number(bid) * 1e6) + Math.round(Number(ask) * 1e6)) / 2 / 1e6;

const ranges = (rows: readonly Observation[]) => ({
  yes_bid: rangeOf(rows.map(({ bid }) => valueOf(bid))),
  yes_ask: rangeOf(rows.map(({ ask }) => valueOf(ask))),
  mid: rangeOf(rows.map(midOf)),
  coin_price: rangeOf(rows.map(({ price }) => valueOf(price))),
});

interface CandleQuery {
  readonly startUs: number;
  readonly endUs: number;
  readonly periodUs: number;
  readonly fill: 'none' | 'previous';
}

const tradingEnd = ({ closeUs, settlementUs }: RandomMarket): number => Math.min(closeUs, settlementUs ?? closeUs);

/** The candles of a window, computed independently of the service. */
const expected = (market: RandomMarket, { startUs, endUs, periodUs, fill }: CandleQuery): Candle[] => {
  const lastUs = Math.min(endUs, tradingEnd(market));
  const traded = market.rows.filter(({ us }) => us < lastUs);
  const found: Candle[] = [];
  for (let us = Math.floor(startUs / periodUs) * periodUs; us < lastUs; us += periodUs) {
    const rows = traded.filter((row) => row.us >= us && row.us < us + periodUs);
    const earlier = traded.findLast((row) => row.us < us);
    if (rows.length === 0 && (fill === 'none' || earlier === undefined)) continue;
    const carried = lastKnown(
      { ...market, rows: traded.filter((row) => row.us < us + periodUs) },
      Math.min(us + periodUs, endUs),
    );
    const gapUs = market.gaps.reduce(
      (sum, [from, to]) => sum + Math.max(0, Math.min(to, us + periodUs, endUs) - Math.max(from, us)),
      0,
    );
    found.push({
      ticker: market.ticker,
      start_ts: us / 1e6,
      end_ts: (us + periodUs) / 1e6,
      ...ranges(rows.length > 0 ? rows : carried === undefined ? [] : [carried]),
      price: { open: null, high: null, low: null, close: null, mean: null, previous: null },
      volume: null,
      trades: null,
      observations: rows.length,
      gap_s: gapUs / 1e6,
    });
  }
  return found;
};

const ruled = (found: readonly Candle[]) =>
  found.map(({ yes_bid, yes_ask, mid, coin_price, ...rest }) => ({
    ...rest,
    ranges: [yes_bid, yes_ask, mid, coin_price],
  }));

describe('candles', () => {
  let tested: TestedService;
  before(async () => {
    tested = await startTestedService();
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(() => tested.stop());

  const windowOf = (random: () => number) => {
    const from = openUs + Math.floor((random() * 300 - 60) * second);
    return { startUs: from, endUs: from + Math.floor((1 + random() * 500) * second) };
  };

  it('summarise the observations of each period until trading ends, and invent none (property)', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const random = seededRandom(seed);
      const market = await randomMarket(tested, random);
      for (const fill of ['none', 'previous'] as const) {
        for (const period_s of [1, 15, 60, 300]) {
          const { startUs, endUs } = windowOf(random);
          const { body } = await tested.callers.read(candles, {
            ticker: market.ticker,
            start_ts: startUs / 1e6,
            end_ts: endUs / 1e6,
            period_s,
            fill,
          });
          const query = { startUs, endUs, periodUs: period_s * second, fill };
          assert.deepEqual(body.candles, expected(market, query), `seed ${seed}, ${fill}, ${period_s}`);
          assert.equal(body.count, body.candles.length);
          assert.deepEqual(candleFaults(ruled(body.candles), period_s), []);
        }
      }
    }
  });

  it('keep the extremes of all observations with points, in at most that many candles (property)', async () => {
    for (const seed of [31, 32, 33]) {
      const random = seededRandom(seed);
      const market = await randomMarket(tested, random);
      const traded = market.rows.filter(({ us }) => us < tradingEnd(market));
      const points = 10 + Math.floor(random() * 90);
      const { body } = await tested.callers.read(candles, { ticker: market.ticker, points });
      assert.ok(body.candles.length <= points, `${body.candles.length} of ${points}`);
      assert.equal(body.has_more, false);
      const all = ranges(traded);
      for (const name of ['yes_bid', 'yes_ask', 'mid', 'coin_price'] as const) {
        const highs = body.candles.map((one) => one[name].high).filter((value) => value !== null);
        const lows = body.candles.map((one) => one[name].low).filter((value) => value !== null);
        assert.deepEqual([Math.max(...highs), Math.min(...lows)], [all[name].high, all[name].low], `seed ${seed}`);
      }
      const total = body.candles.reduce((sum, { observations }) => sum + observations, 0);
      assert.equal(total, traded.length);
    }
  });

  it('of several markets are those of each market', async () => {
    const random = seededRandom(41);
    const markets = [await randomMarket(tested, random), await randomMarket(tested, random)];
    const selection = { start_ts: openUs / 1e6, end_ts: openUs / 1e6 + 400, period_s: 60 };
    const tickers = markets.map(({ ticker }) => ticker);
    const { body } = await tested.callers.read(candleBatch, { tickers, ...selection });
    const each = await Promise.all(
      tickers.map(async (ticker) => (await tested.callers.read(candles, { ticker, ...selection })).body.candles),
    );
    assert.deepEqual(body.candles, each.flat());
    assert.ok(each.every((one) => one.length > 0));
  });

  it('go on with next_start_ts without a repeat or a hole', async () => {
    const { ticker } = await randomMarket(tested, seededRandom(51));
    const start_ts = openUs / 1e6 - 5_200;
    const whole = { ticker, start_ts: start_ts + 5_000, end_ts: start_ts + 6_000, period_s: 1 };
    const first = await tested.callers.read(candles, { ...whole, start_ts });
    assert.deepEqual([first.body.has_more, first.body.next_start_ts], [true, start_ts + 5_000]);
    const rest = await tested.callers.read(candles, { ...whole, start_ts: first.body.next_start_ts });
    assert.deepEqual([rest.body.has_more, rest.body.next_start_ts], [false, null]);
    assert.deepEqual(rest.body.candles, (await tested.callers.read(candles, whole)).body.candles);
  });

  it('have CSV and Parquet with a column for each value', async () => {
    const { ticker } = await randomMarket(tested, seededRandom(61));
    const { body } = await tested.callers.read(candles, { ticker });
    const csv = await tested.callers.bytes(candles, { ticker, format: 'csv' });
    const [header = '', ...lines] = csv.bytes.toString().trimEnd().split('\r\n');
    assert.match(
      header,
      /^"ticker","start_ts","end_ts","yes_bid_open",.*"price_previous","volume","trades","observations","gap_s"$/,
    );
    assert.equal(lines.length, body.count);
    assert.equal(csv.meta.head?.['count'], body.count);
    const parquet = await tested.callers.bytes(candles, { ticker, format: 'parquet' });
    assert.equal(parquet.meta.head?.['count'], body.count);
  });

  it('refuse periods that do not fit', async () => {
    const { ticker } = await randomMarket(tested, seededRandom(71));
    const isRefusal = (code: string) => (error: unknown) => error instanceof DomainError && error.code === code;
    const read = (more: object) => tested.callers.read(candles, { ticker, ...more });
    await assert.rejects(read({ period_s: 7 }), isRefusal('invalid_period'));
    await assert.rejects(read({ period_s: 60, points: 10 }), isRefusal('invalid_period'));
    await assert.rejects(read({ start_ts: 5, end_ts: 5 }), isRefusal('invalid_window'));
    const tickers = Array.from({ length: 100 }, (_, index) => `T-${index}`);
    await assert.rejects(
      tested.callers.read(candleBatch, { tickers, points: 201 }),
      (error: unknown) => error instanceof DomainError && /at most 200 for 100/.test(error.detail),
    );
  });
});
