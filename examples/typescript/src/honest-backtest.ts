// An honest backtest: each decision is made with a client that cannot read anything later.
import assert from 'node:assert/strict';
import { Almanac, type Market } from '@almanac/client/node';

const almanac = new Almanac();

// The strategy: five minutes before the close, buy the side that the market thinks more probable, if it is sure enough.
const decideBeforeCloseS = 300;
const sureFrom = 0.7;

const markets = await almanac.markets.list({ series: 'GENBTC15M', status: 'finalized', days: 2 }).toArray();
console.log(`${markets.length} settled markets`);

interface Trade {
  readonly ticker: string;
  readonly side: 'yes' | 'no';
  /** What one contract costs: the ask, and not the middle of the spread. */
  readonly cost: number;
}

const decide = async ({ ticker, close_ts }: Market): Promise<Trade | undefined> => {
  assert.ok(close_ts !== null);
  const decidedTs = Math.floor(close_ts) - decideBeforeCloseS;
  const then = new Almanac({ as_of: decidedTs });

  // The fence: nothing of the result or of a later price can be read.
  const { market } = await then.markets.get(ticker);
  assert.equal(market.result, null);
  await assert.rejects(then.markets.get(ticker, { as_of: decidedTs + 1 }));
  const { snapshots } = await then.markets.at({ tickers: [ticker], at_ts: [decidedTs] });
  const [quote] = snapshots;
  assert.ok(quote?.ts == null || quote.ts <= decidedTs);

  // No quote means a gap or no market: an honest strategy does not trade then.
  if (quote?.yes_best_bid == null || quote.yes_best_ask == null) return undefined;
  if (quote.yes_best_ask >= sureFrom) return { ticker, side: 'yes', cost: quote.yes_best_ask };
  const noAsk = 1 - quote.yes_best_bid;
  return noAsk >= sureFrom ? { ticker, side: 'no', cost: noAsk } : undefined;
};

// Results are only read after all decisions are made.
const trades: Trade[] = [];
for (const market of markets) {
  const trade = await decide(market);
  if (trade !== undefined) trades.push(trade);
}
const resultOf = new Map(markets.map(({ ticker, result }) => [ticker, result]));
let profit = 0;
for (const { ticker, side, cost } of trades) {
  const gain = (resultOf.get(ticker) === side ? 1 : 0) - cost;
  profit += gain;
  console.log(ticker, side, `at ${cost.toFixed(2)}`, gain > 0 ? 'won' : 'lost', gain.toFixed(2));
}
const won = trades.filter(({ ticker, side }) => resultOf.get(ticker) === side).length;
console.log(`${trades.length} trades, ${won} won, profit ${profit.toFixed(2)} before fees`);

// With the last price before the close, which nobody had five minutes earlier, the same strategy is nearly always right.
const peeking = await almanac.markets.at({
  tickers: markets.map(({ ticker }) => ticker),
  at_ts: [...new Set(markets.flatMap(({ close_ts }) => close_ts ?? []))],
});
const closeOf = new Map(markets.map(({ ticker, close_ts }) => [ticker, close_ts]));
const last = peeking.snapshots.filter(({ ticker, at_ts }) => closeOf.get(ticker) === at_ts);
const right = last.filter(
  ({ ticker, yes_best_bid }) => ((yes_best_bid ?? 0) > 0.5 ? 'yes' : 'no') === resultOf.get(ticker),
);
console.log(`A look into the future is right in ${right.length} of ${last.length} markets.`);

assert.ok(markets.length > 10 && trades.length > 0);
assert.ok(trades.every(({ cost }) => cost >= sureFrom && cost < 1));
assert.equal(last.length, markets.length);
