import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import { describeTrades, type SourceTrade } from './recordings/trades-suite.js';

const kalshi = recording('data/kalshi-rest');
const polymarket = recording('data/polymarket-trades');

const page = z.object({
  trades: z.array(
    z.object({
      ticker: z.string(),
      created_time: z.string(),
      yes_price_dollars: z.string(),
      count: z.number().optional(),
      count_fp: z.string().optional(),
      taker_side: z.enum(['yes', 'no']),
    }),
  ),
});
const answer = z.union([page, z.object({ response: page }).transform(({ response }) => response)]);

/** `2026-01-12T14:59:36.37315Z` in microseconds. */
const microsOf = (time: string): number =>
  Date.parse(`${time.slice(0, 19)}Z`) * 1_000 + Number(time.slice(20, -1).padEnd(6, '0'));

const kalshiTrades = (path: string): SourceTrade[] =>
  answer.parse(JSON.parse(readFileSync(path, 'utf8'))).trades.map((trade) => ({
    ticker: trade.ticker,
    price: Number(trade.yes_price_dollars),
    size: Number(trade.count_fp ?? trade.count),
    side: trade.taker_side,
    us: microsOf(trade.created_time),
  }));

const polymarketTrade = z.object({
  slug: z.string(),
  side: z.enum(['BUY', 'SELL']),
  outcome: z.enum(['Yes', 'No']),
  price: z.number(),
  size: z.number(),
  timestamp: z.int(),
});

const polymarketTrades = (path: string): SourceTrade[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => polymarketTrade.parse(JSON.parse(line)))
    .map(({ slug, side, outcome, price, size, timestamp }) => ({
      ticker: slug,
      price: Number((outcome === 'Yes' ? price : 1 - price).toFixed(6)),
      size,
      side: (side === 'BUY') === (outcome === 'Yes') ? 'yes' : 'no',
      us: timestamp * 1e6,
    }));

describeTrades('the real trades of both venues, from import to download', {
  skip: kalshi.skip || polymarket.skip,
  open: () => {
    const names = ['trades_list.json', 'trades_list_new_form_zane180.json'];
    const [old = '', recent = ''] = names.map((name) => join(kalshi.path, name));
    const channel = join(polymarket.path, 'trades.jsonl');
    return Promise.resolve({
      paths: [old, recent, channel],
      trades: [...kalshiTrades(old), ...kalshiTrades(recent), ...polymarketTrades(channel)],
    });
  },
});
