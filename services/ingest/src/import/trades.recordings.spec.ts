import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import { importPaths } from './testing/import-files.js';

const kalshi = recording('data/kalshi-rest');
const polymarket = recording('data/polymarket-trades');

const kalshiTrade = z.object({
  trade_id: z.string(),
  ticker: z.string(),
  created_time: z.string(),
  yes_price_dollars: z.string(),
  count: z.number().optional(),
  count_fp: z.string().optional(),
  taker_side: z.string(),
});
const page = z.object({ trades: z.array(kalshiTrade) });
const answer = z.union([page, z.object({ response: page }).transform(({ response }) => response)]);

test('the real trades of Kalshi are read whole in both forms', { skip: kalshi.skip }, async () => {
  const paths = ['trades_list.json', 'trades_list_new_form_zane180.json'].map((name) => join(kalshi.path, name));
  const { trades, reports } = await importPaths(paths);
  const expected = paths
    .flatMap((path) => answer.parse(JSON.parse(readFileSync(path, 'utf8'))).trades)
    .map((trade) => [
      trade.trade_id,
      trade.ticker,
      Date.parse(trade.created_time),
      Number(trade.yes_price_dollars),
      Number(trade.count_fp ?? trade.count),
      trade.taker_side,
    ]);
  assert.equal(expected.length, 8);
  assert.deepEqual(
    Array.from(trades.values(), ({ id, ticker, venueTs, price, size, side }) => [
      id,
      ticker,
      Math.floor(Number(venueTs) * 1_000),
      Number(price),
      Number(size),
      side,
    ]),
    expected,
  );
  assert.deepEqual(
    reports.map(({ tradeCounts, refusals }) => [tradeCounts.stored, refusals]),
    [
      [5, 0],
      [3, 0],
    ],
  );
});

const polymarketTrade = z.object({
  side: z.enum(['BUY', 'SELL']),
  outcome: z.enum(['Yes', 'No']),
  price: z.number(),
  size: z.number(),
  timestamp: z.number(),
});

test(
  'the 214 real trades of Polymarket are read whole, with prices of the yes side',
  { skip: polymarket.skip },
  async () => {
    const path = join(polymarket.path, 'trades.jsonl');
    const { trades, reports, things } = await importPaths([path]);
    const text = readFileSync(path, 'utf8').trimEnd();
    const expected = text
      .split('\n')
      .map((line) => polymarketTrade.parse(JSON.parse(line)))
      .map(({ side, outcome, price, size, timestamp }) => [
        timestamp,
        (outcome === 'Yes' ? price : 1 - price).toFixed(6),
        size.toFixed(6),
        (side === 'BUY') === (outcome === 'Yes') ? 'yes' : 'no',
      ]);
    assert.equal(expected.length, 214);
    assert.deepEqual(
      Array.from(trades.values(), ({ venueTs, price, size, side }) => [
        Number(venueTs),
        Number(price).toFixed(6),
        Number(size).toFixed(6),
        side,
      ]),
      expected,
    );
    assert.deepEqual(
      reports.map(({ tradeCounts, refusals }) => [tradeCounts, refusals]),
      [[{ stored: 214, equal: 0, different: 0 }, 0]],
    );
    assert.partialDeepStrictEqual(things.get('market will-spacex-not-ipo-by-december-31-2027'), {
      event_ticker: 'spacex-ipo-closing-market-cap',
    });
    const wallet = /"proxyWallet":"([^"]+)"/.exec(text)?.[1] ?? assert.fail();
    assert.doesNotMatch(JSON.stringify([...trades, ...things]), new RegExp(wallet));
  },
);
