// A first read: find a market, look at what is stored of it, and only then at its prices.
import assert from 'node:assert/strict';
import { Almanac } from '@almanac/client/node';

// The address and the key are in ALMANAC_BASE_URL and ALMANAC_API_KEY.
const almanac = new Almanac();

// 1. Search the catalogue. A hit can be a series, an event or a market.
for (const { kind, id, title } of (await almanac.search('bitcoin', { limit: 5 }).firstPage()).hits) {
  console.log(kind, id, title);
}

// 2. Take the market that settled last.
const settled = almanac.markets.list({ series: 'GENBTC15M', status: 'finalized', limit: 1, days: 2 });
const [found] = (await settled.firstPage()).markets;
assert.ok(found);
const { market, rules, history } = await almanac.markets.get(found.ticker);
console.log(`\n${market.ticker}: ${market.title}`);
console.log(`strike ${market.floor_strike}, settled on ${market.expiration_value}, result ${market.result}`);
for (const { field, value, known_ts } of history) console.log(`  ${field} ${value}, known at ${known_ts}`);
console.log(rules?.text ?? '  No source has its rules.');

// 3. Is the recording complete? A gap is missing data, and not a calm market.
const coverage = await almanac.markets.coverage(market.ticker);
console.log(`\n${coverage.prints} observations, ${coverage.gaps_n} gaps, covered share ${coverage.covered_share}`);

// 4. Minute candles of the whole market.
const candles = await almanac.markets.candles(market.ticker, { period_s: 60 }).toArray();
for (const { start_ts, mid, volume } of candles) {
  const time = new Date(start_ts * 1_000).toISOString().slice(11, 16);
  const bar = '#'.repeat(Math.round((mid.close ?? 0) * 40));
  console.log(`${time} ${(mid.close ?? NaN).toFixed(3)} ${bar} ${volume ?? 'no'} contracts`);
}

// A price is a probability, and the candles have every observation of the market.
const mids = candles.flatMap(({ mid }) => mid.close ?? []);
assert.ok(mids.length > 0 && mids.every((mid) => mid > 0 && mid < 1));
assert.equal(
  candles.reduce((sum, { observations }) => sum + observations, 0),
  coverage.prints,
);
assert.ok(market.result === 'yes' || market.result === 'no');
