import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recording } from '@almanac/testing';
import { importPaths } from './testing/import-files.js';
import { describeQuoteRecordings } from './testing/quote-recordings-suite.js';

const settled = recording('data/kalshi-15m/settled_markets_kxbtc15m.csv');
const quotesFile = recording('data/kalshi-15m/quotes_2s.csv');

const quotes = new Map([
  ['KXBTC15M-26FEB242330-30', 221],
  ['KXBTC15M-26FEB242345-45', 457],
  ['KXBTC15M-26FEB250000-00', 450],
  ['KXBTC15M-26FEB250015-15', 456],
  ['KXBTC15M-26FEB250030-30', 450],
  ['KXBTC15M-26FEB250045-45', 435],
  ['KXBTC15M-26FEB250100-00', 1],
  ['KXETH15M-26FEB242330-30', 239],
  ['KXETH15M-26FEB242345-45', 442],
  ['KXETH15M-26FEB250000-00', 443],
  ['KXETH15M-26FEB250015-15', 456],
  ['KXETH15M-26FEB250030-30', 443],
  ['KXETH15M-26FEB250045-45', 447],
  ['KXSOL15M-26FEB242330-30', 227],
  ['KXSOL15M-26FEB242345-45', 458],
  ['KXSOL15M-26FEB250000-00', 436],
  ['KXSOL15M-26FEB250015-15', 457],
  ['KXSOL15M-26FEB250030-30', 442],
  ['KXSOL15M-26FEB250045-45', 450],
  ['KXXRP15M-26FEB242330-30', 231],
  ['KXXRP15M-26FEB242345-45', 450],
  ['KXXRP15M-26FEB250000-00', 443],
  ['KXXRP15M-26FEB250015-15', 456],
  ['KXXRP15M-26FEB250030-30', 443],
  ['KXXRP15M-26FEB250045-45', 447],
]);

describeQuoteRecordings('the real quotes and settled markets', {
  skip: settled.skip || quotesFile.skip,
  open: () => ({
    settledPath: settled.path,
    settledMarkets: 8_631,
    dirt: { cutTimes: 75, missingStrikes: 41, missingExpirations: 957, noisyStrikes: 671 },
    quotesPath: quotesFile.path,
    quoteLines: 2_470,
    quoteErrors: 0,
    quotes,
    markets: 8_649,
  }),
});

it('the real settled markets are stored as their lines state them', { skip: settled.skip }, async () => {
  const { things } = await importPaths([settled.path]);
  const openUs = Date.UTC(2026, 3, 4, 16, 15) * 1000;
  const closeUs = Date.UTC(2026, 3, 4, 16, 30) * 1000;
  const settledUs = Date.UTC(2026, 3, 4, 16, 30, 13) * 1000 + 486_660;
  assert.deepEqual(things.get('market KXBTC15M-26FEB242345-45')?.['floor_strike'], '65573.37');
  assert.deepEqual(things.get('market KXBTC15M-26APR010745-45')?.['floor_strike'], '68576.73');
  assert.deepEqual(things.get('market KXBTC15M-26APR041230-30'), {
    kind: 'market',
    venue: 'kalshi',
    ticker: 'KXBTC15M-26APR041230-30',
    series: 'KXBTC15M',
    event_ticker: 'KXBTC15M-26APR041230',
    category: 'crypto',
    category_label: 'Crypto',
    open_us: openUs,
    close_us: closeUs,
    settlement_us: settledUs,
    floor_strike: '67338.34',
    expiration_value: '67454.99',
    result: 'yes',
    strike_type: 'greater_or_equal',
    history: [
      {
        known_us: settledUs,
        basis: 'venue',
        values: { result: 'yes', expiration_value: '67454.99', settlement_us: String(settledUs) },
      },
      {
        known_us: openUs,
        basis: 'venue',
        values: { open_us: String(openUs), close_us: String(closeUs), floor_strike: '67338.34' },
      },
    ],
  });
});

it('the real quotes are stored to their last digit', { skip: quotesFile.skip }, async () => {
  const { rows, things } = await importPaths([quotesFile.path]);
  assert.deepEqual(rows.get('KXBTC15M-26FEB242330-30 1771993365.058297'), {
    ticker: 'KXBTC15M-26FEB242330-30',
    series: 'KXBTC15M',
    ts: '1771993365.058297',
    venueTs: null,
    seq: null,
    bid: '0.86',
    ask: '0.87',
    coinPrice: '65541.895',
  });
  const eth = things.get('market KXETH15M-26FEB242330-30');
  assert.equal(eth?.['event_ticker'], 'KXETH15M-26FEB242330');
  assert.equal(eth?.['close_us'], Date.UTC(2026, 1, 25, 4, 30) * 1000);
  assert.equal(eth?.['open_us'], Date.UTC(2026, 1, 25, 4, 15) * 1000);
  assert.equal(eth?.['floor_strike'], '1905.34');
  assert.equal(eth?.['open_price'], undefined, 'the recording begins after its open');
});
