import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { eventually, seededRandom } from '@almanac/testing';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { openUs, randomMarket } from '../testing/random-market.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { storeTrades } from '../testing/store-trades.js';
import { type Candle, expectedCandles, ranges, tradeFigures, tradingEnd } from './testing/candle-model.js';
import { candleFaults } from './testing/candle-rules.js';
import { withRandomTrades } from './testing/random-trades.js';

const { candles, candleBatch } = timeseriesRpc;
const second = 1_000_000;
const openS = openUs / second;
const valuesOf = (object: Readonly<Record<string, unknown>>): unknown[] => Object.values(object);
/** Counts are 64-bit integers. */
const parquetRows = z.array(z.record(z.string(), z.bigint().transform(Number).or(z.unknown())));

const ruled = (found: readonly Candle[]) =>
  found.map(({ yes_bid, yes_ask, mid, coin_price, ...rest }) => ({
    ...rest,
    ranges: [yes_bid, yes_ask, mid, coin_price],
  }));

describe('candles', () => {
  let tested: TimeseriesHarness;
  before(async () => {
    tested = await startHarness();
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(() => tested.stop());

  const windowOf = (random: () => number) => {
    const from = openUs + Math.floor((random() * 300 - 60) * second);
    return { startUs: from, endUs: from + Math.floor((1 + random() * 500) * second) };
  };

  const tradedMarket = async (random: () => number) =>
    withRandomTrades(tested.callers.importer, await randomMarket(tested, random), random);

  const newMarket = async (): Promise<string> => {
    const ticker = `M-${randomUUID()}`;
    await tested.fixture.market({ ticker });
    return ticker;
  };
  /** A market of which nothing but trades is known: id, seconds after the open, price. */
  const onlyTrades = async (...trades: readonly (readonly [string, number, string])[]) => {
    const ticker = await newMarket();
    const given = trades.map(([id, s, price]) => ({ id, venueUs: openUs + s * second, price }));
    await storeTrades(tested.callers.importer, ticker, given);
    return { ticker };
  };

  it('summarise observations and trades of each period until trading ends, and invent none (property)', async () => {
    for (const seed of [1, 2]) {
      const random = seededRandom(seed);
      const market = await tradedMarket(random);
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
          assert.deepEqual(body.candles, expectedCandles(market, query), `seed ${seed}, ${fill}, ${period_s}`);
          assert.equal(body.count, body.candles.length);
          assert.deepEqual(candleFaults(ruled(body.candles), period_s), []);
        }
      }
    }
  });

  it('keep the extremes of all observations with points, in at most that many candles (property)', async () => {
    for (const seed of [31, 32]) {
      const random = seededRandom(seed);
      const market = await tradedMarket(random);
      const observed = market.rows.filter(({ us }) => us < tradingEnd(market));
      const points = 10 + Math.floor(random() * 90);
      const { body } = await tested.callers.read(candles, { ticker: market.ticker, points });
      assert.ok(body.candles.length <= points, `${body.candles.length} of ${points}`);
      assert.equal(body.has_more, false);
      const trades = market.trades.filter(({ us }) => us < tradingEnd(market));
      const all = { ...ranges(observed), price: tradeFigures(trades, null).price };
      for (const name of ['yes_bid', 'yes_ask', 'mid', 'coin_price', 'price'] as const) {
        const highs = body.candles.map((one) => one[name].high).filter((value) => value !== null);
        const lows = body.candles.map((one) => one[name].low).filter((value) => value !== null);
        assert.deepEqual([Math.max(...highs), Math.min(...lows)], [all[name].high, all[name].low], `seed ${seed}`);
      }
      const total = body.candles.reduce((sum, { observations }) => sum + observations, 0);
      assert.equal(total, observed.length);
      assert.equal(
        body.candles.reduce((sum, candle) => sum + (candle.trades ?? 0), 0),
        trades.length,
      );
    }
  });

  it('of several markets are those of each market', async () => {
    const random = seededRandom(41);
    const markets = [await tradedMarket(random), await tradedMarket(random), await tradedMarket(random)];
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

  it('with fill=previous go on until trading ends, also after the last observation, and never into the future', async () => {
    const market = async (closeS: number): Promise<string> => {
      const ticker = `M-${randomUUID()}`;
      await tested.fixture.market({ ticker, open_us: openUs, close_us: closeS * second });
      await tested.callers.store(ticker, [{ us: openUs, bid: '0.4', ask: '0.5' }]);
      await tested.callers.spans(ticker, [[openUs, closeS * second]]);
      return ticker;
    };
    const closed = { ticker: await market(openS + 6_000), start_ts: openS, end_ts: openS + 9_000, period_s: 1 };
    const filled = { ...closed, fill: 'previous' as const };
    const pages = [await tested.callers.read(candles, filled)];
    pages.push(await tested.callers.read(candles, { ...filled, start_ts: pages[0]?.body.next_start_ts }));
    assert.deepEqual(
      pages.map(({ body }) => [body.count, body.has_more, body.next_start_ts]),
      [
        [5_000, true, openS + 5_000],
        [1_000, false, null],
      ],
    );
    const unfilled = (await tested.callers.read(candles, closed)).body;
    assert.deepEqual([unfilled.count, unfilled.has_more], [1, false]);
    const nowS = Math.floor(Date.now() / 1_000);
    const live = { ticker: await market(nowS + 7_200), start_ts: nowS - 600, end_ts: nowS + 3_600, period_s: 60 };
    const { body, meta } = await tested.callers.read(candles, { ...live, fill: 'previous' });
    assert.ok(body.candles.length >= 10 && body.candles.every(({ start_ts }) => start_ts <= Date.now() / 1_000));
    assert.equal(meta.cacheable, false, 'the next period has a candle soon');
  });

  it('have gaps of months', async () => {
    const ticker = `M-${randomUUID()}`;
    const dayS = 86_400;
    const open_us = openUs - 4_000 * dayS * second;
    await tested.fixture.market({ ticker, open_us, close_us: openUs + second });
    await tested.callers.store(ticker, [{ us: openUs, bid: '0.4', ask: '0.5' }]);
    await tested.callers.spans(ticker, [[openUs, openUs + second]]);
    const { body } = await tested.callers.read(candles, { ticker, start_ts: open_us / second, points: 10 });
    const [found, ...others] = body.candles;
    assert.deepEqual([found?.observations, others], [1, []]);
    assert.ok(found !== undefined && found.gap_s > 107 * dayS);
    assert.equal(found.gap_s, openS - found.start_ts);
  });

  it('have the last trade before the window, and the window of all data reaches from the first to the last trade', async () => {
    const { ticker } = await onlyTrades(['a', 0, '0.25'], ['b', 100, '0.5'], ['c', 400, '0.75']);
    const read = (more: object) => tested.callers.read(candles, { ticker, period_s: 60, ...more });
    const closes = ({ body }: { readonly body: { readonly candles: readonly Candle[] } }) =>
      body.candles.map(({ start_ts, price, volume, trades }) => {
        return [start_ts - openS, price.previous, price.close, volume, trades];
      });
    assert.deepEqual(closes(await read({})), [
      [0, null, 0.25, 1, 1],
      [60, 0.25, 0.5, 1, 1],
      [360, 0.5, 0.75, 1, 1],
    ]);
    assert.deepEqual(closes(await read({ start_ts: openS + 200, end_ts: openS + 300 })), []);
    assert.deepEqual(closes(await read({ start_ts: openS + 200, end_ts: openS + 300, fill: 'previous' })), [
      [180, 0.5, null, 0, 0],
      [240, 0.5, null, 0, 0],
    ]);
    const first = await read({ period_s: 1, start_ts: openS - 4_700, end_ts: openS + 500 });
    assert.deepEqual([first.body.has_more, closes(first).length], [true, 2]);
    const point = await tested.callers.read(candles, { ticker, points: 10 });
    assert.deepEqual(closes(point).length, 3);
  });

  it('have the trades that are stored later, with a later data version', async () => {
    const { ticker } = await onlyTrades(['a', 0, '0.25']);
    const earlier = await tested.callers.read(candles, { ticker });
    await storeTrades(tested.callers.importer, ticker, [{ id: 'b', venueUs: openUs + 3_600 * second, price: '0.5' }]);
    const { body, meta } = await eventually(async () => {
      const read = await tested.callers.read(candles, { ticker });
      assert.notEqual(read.meta.version, earlier.meta.version);
      return read;
    });
    assert.deepEqual([earlier.body.count, body.count], [1, 2]);
    assert.equal(meta.ticker, ticker);
  });

  it('weigh the mean by size without loss, for the largest and smallest prices and sizes', async () => {
    const ticker = await newMarket();
    const huge = '999999999999.999999';
    await storeTrades(tested.callers.importer, ticker, [
      { id: 'a', venueUs: openUs, price: '1', size: huge },
      { id: 'b', venueUs: openUs, price: '1', size: huge },
      { id: 'c', venueUs: openUs + 60 * second, price: '0.000001', size: '0.000001' },
      { id: 'd', venueUs: openUs + 60 * second, price: '0.000002', size: '0.000001' },
    ]);
    const { bytes } = await tested.callers.bytes(candles, { ticker, format: 'csv' });
    const columns = bytes
      .toString()
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(',').slice(-9));
    assert.deepEqual(columns, [
      ['price_high', 'price_low', 'price_close', 'price_mean', 'price_previous']
        .map((name) => `"${name}"`)
        .concat(['"volume"', '"trades"', '"observations"', '"gap_s"']),
      ['1', '1', '1', '1', '', '1999999999999.999998', '2', '0', '0'],
      ['0.000002', '0.000001', '0.000002', '0.000002', '1', '0.000002', '2', '0', '0'],
    ]);
  });

  it('have the same values in each form', async () => {
    const { ticker } = await tradedMarket(seededRandom(62));
    const { body } = await tested.callers.read(candles, { ticker, fill: 'previous' });
    assert.ok(body.candles.some(({ trades }) => (trades ?? 0) > 1));
    const ndjson = await tested.callers.bytes(candles, { ticker, fill: 'previous', format: 'ndjson' });
    const lines = ndjson.bytes.toString().trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      body.candles,
    );
    const flat = body.candles.map(({ yes_bid, yes_ask, mid, coin_price, price, ...rest }) => {
      const { ticker: of, start_ts, end_ts, ...figures } = rest;
      return [of, start_ts, end_ts, ...[yes_bid, yes_ask, mid, coin_price, price, figures].flatMap(valuesOf)];
    });
    const csv = await tested.callers.bytes(candles, { ticker, fill: 'previous', format: 'csv' });
    const rows = csv.bytes.toString().trimEnd().split('\r\n').slice(1);
    assert.deepEqual(
      rows.map((row) => row.split(',').map((cell) => (cell === '' ? null : (JSON.parse(cell) as unknown)))),
      flat,
    );
    const parquet = await tested.callers.bytes(candles, {
      ticker,
      fill: 'previous',
      format: 'parquet',
      numbers: 'float',
    });
    const file = new Uint8Array(parquet.bytes).buffer;
    const read = parquetRows.parse(await parquetReadObjects({ file, compressors }));
    // A time is a date there.
    assert.deepEqual(
      read.map((row) => Object.values(row).slice(3)),
      flat.map((row) => row.slice(3)),
    );
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
