import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { timeseriesRpc } from '@almanac/contracts';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import { startHarness } from '../testing/harness.js';
import { storeTrades } from '../testing/store-trades.js';

const { path, skip } = recording('data/kalshi-rest');
const ticker = 'KXELONMARS-99';

const trades = z.object({
  response: z.object({
    trades: z.array(
      z.object({ trade_id: z.string(), created_time: z.string(), yes_price_dollars: z.string(), count: z.int() }),
    ),
  }),
});
const dollars = z.string().nullish();
const dayCandle = z.object({
  end_period_ts: z.int(),
  volume: z.int(),
  price: z.object({
    open_dollars: dollars,
    high_dollars: dollars,
    low_dollars: dollars,
    close_dollars: dollars,
    mean_dollars: dollars,
  }),
});
const days = z.object({ response: z.object({ market_candlesticks: z.array(z.array(dayCandle)) }) });

const read = <T>(name: string, shape: z.ZodType<T>): T =>
  shape.parse(JSON.parse(readFileSync(join(path, name), 'utf8')));

/** `2026-01-12T14:59:36.37315Z` in microseconds. */
const microsOf = (time: string): number =>
  Date.parse(`${time.slice(0, 19)}Z`) * 1_000 + Number(time.slice(20, -1).padEnd(6, '0'));

it("candles of real trades have the prices of Kalshi's own candle of their day", { skip }, async () => {
  const given = read('trades_list.json', trades).response.trades.map((trade) => ({
    id: trade.trade_id,
    venueUs: microsOf(trade.created_time),
    price: trade.yes_price_dollars,
    size: String(trade.count),
  }));
  const lastUs = Math.max(...given.map(({ venueUs }) => venueUs));
  const firstUs = Math.min(...given.map(({ venueUs }) => venueUs));
  const [candles = []] = read('event_candlesticks.json', days).response.market_candlesticks;
  // A day of the venue begins at midnight in New York.
  const day = candles.find(({ end_period_ts: endS }) => lastUs < endS * 1e6 && firstUs >= (endS - 86_400) * 1e6);
  assert.ok(day, 'a recorded candle has all recorded trades in its day');
  const tested = await startHarness();
  try {
    await tested.fixture.market({ ticker });
    await storeTrades(tested.callers.importer, ticker, given);
    const { body } = await tested.callers.read(timeseriesRpc.candles, {
      ticker,
      start_ts: day.end_period_ts - 86_400,
      end_ts: day.end_period_ts,
      period_s: 3_600,
    });
    const prices = body.candles.map(({ price }) => price);
    assert.deepEqual(
      [prices[0]?.open, Math.max(...prices.map(({ high }) => high ?? 0)), prices.at(-1)?.close, prices.at(-1)?.mean],
      [day.price.open_dollars, day.price.high_dollars, day.price.close_dollars, day.price.mean_dollars].map(Number),
    );
    assert.equal(Math.min(...prices.map(({ low }) => low ?? 1)), Number(day.price.low_dollars));
    // The dump has the last five trades of the day, and the candle has all of them.
    const volume = body.candles.reduce((sum, candle) => sum + (candle.volume ?? 0), 0);
    assert.equal(volume, given.length);
    assert.ok(volume <= day.volume, `${volume} of ${day.volume}`);
  } finally {
    await tested.stop();
  }
});
