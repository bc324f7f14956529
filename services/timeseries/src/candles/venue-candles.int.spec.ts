import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { timeseriesRpc } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { type GivenVenueCandle, storeVenueCandles } from '../testing/store-venue-candles.js';
import { storeTrades } from '../testing/store-trades.js';
import { expectedVenueCandles, randomVenueCandles } from './testing/venue-candle-model.js';

const { candles, candleBatch } = timeseriesRpc;
const second = 1_000_000;
/** 2026-02-25 00:00 UTC, a Wednesday. Midnight in New York is at 05:00. */
const dayS = 1_771_977_600;
const at = (s: number): number => (dayS + s) * second;

/** The market was listed before its candles. */
const history = [{ known_us: at(-60), basis: 'venue' as const, values: { title: 'Rain?' } }];

/** A candle whose prices all are one price, that was traded. */
const flat = (startS: number, price: string, more: Partial<GivenVenueCandle> = {}): GivenVenueCandle => ({
  periodS: 60,
  startUs: at(startS),
  prices: Object.fromEntries(
    ['yes_bid', 'yes_ask', 'price'].flatMap((quote) =>
      ['open', 'high', 'low', 'close'].map((part) => [`${quote}_${part}`, price]),
    ),
  ),
  volume: '1',
  openInterest: '10',
  ...more,
});

describe('venue candles', () => {
  let tested: TimeseriesHarness;
  before(async () => {
    tested = await startHarness();
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(() => tested.stop());

  const marketWith = async (given: readonly GivenVenueCandle[], times: object = {}): Promise<string> => {
    const ticker = `M-${randomUUID()}`;
    await tested.fixture.market({ ticker, ...times });
    await storeVenueCandles(tested.callers.importer, ticker, given);
    return ticker;
  };
  const read = (ticker: string, more: object = {}) => tested.callers.read(candles, { ticker, ...more });

  it('are answered whole where nothing of ours is stored, and aggregated exactly (property)', async () => {
    let venueCandles = 0;
    for (const seed of [1, 2, 3]) {
      const random = seededRandom(seed);
      const given = randomVenueCandles(random, at(0), 240);
      const [openS, closeS] = [Math.floor(random() * 3) * 60, (200 + Math.floor(random() * 50)) * 60];
      const isTimed = random() < 0.5;
      const ticker = await marketWith(given, isTimed ? { open_us: at(openS), close_us: at(closeS) } : {});
      const ours = Array.from({ length: 3 }, () => Math.floor(random() * 240 * 60));
      await tested.callers.store(
        ticker,
        ours.map((s) => ({ us: at(s), bid: '0.4', ask: '0.5' })),
      );
      for (const period_s of [60, 300, 3_600]) {
        const [startS, endS] = [Math.floor(random() * 3_600), 7_200 + Math.floor(random() * 8_000)];
        const { body } = await read(ticker, { start_ts: dayS + startS, end_ts: dayS + endS, period_s });
        const window = {
          startUs: at(Math.floor(startS / period_s) * period_s),
          endUs: at(endS),
          periodUs: period_s * second,
        };
        const expected = expectedVenueCandles(given, window, {
          openUs: isTimed ? at(openS) : -1,
          endUs: isTimed ? at(closeS) : Infinity,
          isOurs: (startUs) =>
            body.candles.some((one) => one.source === 'recorded' && one.start_ts * second === startUs),
        });
        // Our observations make gaps, which are not of the venue.
        const found = body.candles.filter(({ source }) => source === 'venue').map((one) => ({ ...one, gap_s: 0 }));
        assert.deepEqual(
          found,
          expected.map((one) => ({ ticker, ...one, gap_s: 0 })),
          `seed ${seed}, ${period_s}`,
        );
        venueCandles += found.length;
        const recorded = body.candles.filter(({ source }) => source === 'recorded');
        assert.ok(recorded.every(({ observations, open_interest }) => observations > 0 && open_interest === null));
        assert.deepEqual(
          body.candles.map((one) => one.start_ts),
          body.candles.map((one) => one.start_ts).toSorted((a, b) => a - b),
        );
        assert.equal(new Set(body.candles.map((one) => one.start_ts)).size, body.count);
      }
    }
    assert.ok(venueCandles > 300, `${venueCandles} venue candles were compared`);
  });

  it('are never mixed with a trade or an observation, and replace repeated values', async () => {
    const ticker = await marketWith([flat(0, '0.3'), flat(60, '0.4'), flat(120, '0.5'), flat(180, '0.6')]);
    await storeTrades(tested.callers.importer, ticker, [{ id: 'a', venueUs: at(61), price: '0.2' }]);
    await tested.callers.store(ticker, [{ us: at(-30), bid: '0.1', ask: '0.2' }]);
    const window = { start_ts: dayS - 60, end_ts: dayS + 300, period_s: 60 };
    const shown = (body: {
      readonly candles: readonly {
        start_ts: number;
        source?: string | undefined;
        yes_bid: { open: number | null };
        price: { close: number | null };
      }[];
    }) =>
      body.candles.map(({ start_ts, source, yes_bid, price }) => [start_ts - dayS, source, yes_bid.open, price.close]);
    assert.deepEqual(shown((await read(ticker, window)).body), [
      [-60, 'recorded', 0.1, null],
      [0, 'venue', 0.3, 0.3],
      [60, 'recorded', null, 0.2],
      [120, 'venue', 0.5, 0.5],
      [180, 'venue', 0.6, 0.6],
    ]);
    const filled = shown((await read(ticker, { ...window, fill: 'previous' })).body);
    assert.deepEqual(
      filled.map(([s, source]) => [s, source]),
      [
        [-60, 'recorded'],
        [0, 'venue'],
        [60, 'recorded'],
        [120, 'venue'],
        [180, 'venue'],
        [240, 'recorded'],
      ],
    );
  });

  it('of longer periods than the requested one give nothing but a notice, and choose the period if none is requested', async () => {
    const hours = [0, 1, 2, 3].map((hour) => flat(hour * 3_600, '0.3', { periodS: 3_600 }));
    const ticker = await marketWith(hours);
    const finer = await read(ticker, { period_s: 60 });
    assert.deepEqual([finer.body.count, finer.body.candles], [0, []]);
    assert.match(finer.body.notice ?? '', /periods of 3600 seconds.*Send period_s=3600\.$/);
    const csv = await tested.callers.bytes(candles, { ticker, period_s: 60, format: 'csv' });
    assert.equal(csv.meta.head?.['notice'], finer.body.notice);
    for (const selection of [{}, { points: 500 }, { period_s: 3_600 }]) {
      const { body } = await read(ticker, selection);
      assert.deepEqual([body.period_s, body.count, body.notice], [3_600, 4, undefined]);
    }
    assert.deepEqual(
      (await read(ticker, { period_s: 7_200 })).body.candles.map(({ volume }) => volume),
      [2, 2],
    );
  });

  it('of days of the venue are answered as they are, and those of hours come first', async () => {
    const days = [5 * 3_600, 29 * 3_600].map((s) => flat(s, '0.3', { periodS: 86_400 }));
    const ticker = await marketWith(days);
    const rows = async () =>
      (await read(ticker, { start_ts: dayS, end_ts: dayS + 4 * 86_400, period_s: 86_400 })).body.candles;
    assert.deepEqual(
      (await rows()).map(({ start_ts, end_ts, venue_period_s: s }) => [start_ts - dayS, end_ts - dayS, s]),
      [
        [18_000, 104_400, 86_400],
        [104_400, 190_800, 86_400],
      ],
    );
    const hours = Array.from({ length: 24 }, (_, hour) => flat(86_400 + hour * 3_600, '0.4', { periodS: 3_600 }));
    await storeVenueCandles(tested.callers.importer, ticker, hours);
    await eventually(async () =>
      assert.deepEqual(
        (await rows()).map(({ start_ts, venue_period_s: s }) => [start_ts - dayS, s]),
        [[86_400, 3_600]],
      ),
    );
  });

  it('end before the time as of which they are read, and before the window ends', async () => {
    const ticker = await marketWith(
      [0, 60, 120, 180, 240].map((s) => flat(s, '0.3')),
      { open_us: at(0), history },
    );
    const starts = async (more: object) =>
      (await read(ticker, { period_s: 60, ...more })).body.candles.map(({ start_ts }) => start_ts - dayS);
    assert.deepEqual(await starts({ end_ts: dayS + 179 }), [0, 60]);
    const past = await tested.callers.read(candles, { ticker, as_of: dayS + 180, period_s: 60 });
    assert.deepEqual(
      past.body.candles.map(({ start_ts }) => start_ts - dayS),
      [0, 60, 120],
    );
    const whole = await read(ticker, { as_of: dayS + 299, period_s: 300, start_ts: dayS, end_ts: dayS + 900 });
    assert.deepEqual(whole.body.candles, [], 'the last minute was not known');
    const early = await read(ticker, { as_of: dayS + 30, start_ts: dayS, end_ts: dayS + 900 });
    assert.deepEqual([early.body.candles, early.body.notice], [[], undefined]);
  });

  it('change the data version, and the later statement is answered in any order', async () => {
    const ticker = await marketWith([flat(0, '0.3', { statedUs: at(900) })]);
    const first = await read(ticker);
    await storeVenueCandles(tested.callers.importer, ticker, [flat(0, '0.2', { statedUs: at(600) }), flat(60, '0.4')]);
    const second_ = await eventually(async () => {
      const again = await read(ticker);
      assert.notEqual(again.meta.version, first.meta.version);
      return again;
    });
    assert.deepEqual(
      second_.body.candles.map(({ price }) => price.close),
      [0.3, 0.4],
    );
  });

  it('are in the coverage of a preview, also of a market without any other time', async () => {
    const ticker = await marketWith([flat(0, '0.3'), flat(60, '0.3'), flat(0, '0.3', { periodS: 3_600 })], { history });
    const expected = [
      { source: 'kalshi', period_s: 60, start_ts: dayS, end_ts: dayS + 120, candles: 2 },
      { source: 'kalshi', period_s: 3_600, start_ts: dayS, end_ts: dayS + 3_600, candles: 1 },
    ];
    await eventually(async () => {
      const { body } = await tested.callers.preview(ticker);
      assert.equal(body.pending, false);
      assert.deepEqual(body.coverage?.venue_candles, expected);
    });
    const past = await tested.callers.read(timeseriesRpc.preview, { ticker, as_of: dayS + 90 });
    assert.deepEqual(past.body.coverage?.venue_candles, [{ ...expected[0], end_ts: dayS + 60, candles: 1 }]);
  });

  it('have their source in every form, and other markets have none', async () => {
    const ticker = await marketWith([flat(0, '0.3')]);
    const ndjson = await tested.callers.bytes(candles, { ticker, format: 'ndjson' });
    const { body } = await read(ticker);
    assert.deepEqual(JSON.parse(ndjson.bytes.toString()), body.candles[0]);
    const csv = (await tested.callers.bytes(candles, { ticker, format: 'csv' })).bytes.toString().split('\r\n');
    assert.match(csv[0] ?? '', /"gap_s","source","venue","venue_period_s","open_interest"$/);
    assert.match(csv[1] ?? '', /,"venue","kalshi",60,10$/);
    const parquet = await tested.callers.bytes(candles, { ticker, format: 'parquet' });
    assert.equal(parquet.meta.head?.['count'], 1);
    const other = `M-${randomUUID()}`;
    await tested.fixture.market({ ticker: other });
    await tested.callers.store(other, [{ us: at(0), bid: '0.4', ask: '0.5' }]);
    const plain = await read(other);
    assert.ok(plain.body.candles.every((candle) => !('source' in candle) && !('open_interest' in candle)));
    const batch = await tested.callers.read(candleBatch, {
      tickers: [ticker, other],
      start_ts: dayS,
      end_ts: dayS + 60,
    });
    assert.deepEqual(
      batch.body.candles.map(({ source }) => source),
      ['venue', 'recorded'],
    );
  });
});
