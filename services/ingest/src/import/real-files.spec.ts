import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sharedData } from '@almanac/testing';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { kalshiTickerTime, tickerTime } from '../values/ticker-time.js';
import { recordingArchive } from './recording-archive.js';
import { runImport } from './run-import.js';

const settled = sharedData('kalshi-15m/settled_markets_kxbtc15m.csv') ?? '';
const quotes = sharedData('kalshi-15m/quotes_2s.csv') ?? '';
const skip = settled === '' || quotes === '' ? 'the recordings of ../shared/data are not on this machine' : false;

const imported = async (paths: readonly string[], into = recordingArchive()) => {
  const refusedFolder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    const mappings = await loadBuiltInMappings();
    const { archive } = into;
    const { reports, aborted } = await runImport(paths, { archive, mappings, refusedFolder, startedAt: new Date(0) });
    assert.equal(aborted, null);
    return { ...into, reports };
  } finally {
    await rm(refusedFolder, { recursive: true, force: true });
  }
};

test('the settled catalogue is read whole, its dirt costs fields only', { skip }, async () => {
  const { reports, things } = await imported([settled]);
  const report = reports[0];
  assert.equal(report?.error, null);
  assert.equal(report?.rowsRead, 8_631);
  assert.deepEqual(report?.outcomes, { created: 8_631, changed: 0, unchanged: 0 });
  assert.equal(report?.refused.size, 0);
  assert.deepEqual(Object.fromEntries(report?.dropped ?? []), {
    'settlement_ts: not a whole time': 75,
    'floor_strike: missing': 41,
    'expiration_value: missing': 957,
  });
  assert.deepEqual(report?.rolling, ['KXBTC15M']);
  assert.deepEqual(Object.fromEntries(report?.altered ?? []), {
    'floor_strike: float noise removed, as in 65573.369999 for 65573.37': 671,
  });
  assert.deepEqual(things.get('series KXBTC15M'), {
    kind: 'series',
    id: 'KXBTC15M',
    label: 'Bitcoin price in 15 minutes',
    shape: 'rolling',
  });
  const strikes = Array.from(things.values(), (thing) => thing['floor_strike']).filter((one) => one !== undefined);
  assert.equal(strikes.length, 8_631 - 41);
  for (const strike of strikes) assert.match(typeof strike === 'string' ? strike : '', /^\d+(\.\d{1,2})?$/);
  assert.deepEqual(things.get('market KXBTC15M-26FEB242345-45')?.['floor_strike'], '65573.37');
  assert.deepEqual(things.get('market KXBTC15M-26APR010745-45')?.['floor_strike'], '68576.73');
  assert.deepEqual(things.get('market KXBTC15M-26APR041230-30'), {
    kind: 'market',
    ticker: 'KXBTC15M-26APR041230-30',
    series: 'KXBTC15M',
    event_ticker: 'KXBTC15M-26APR041230',
    category: 'crypto',
    category_label: 'Crypto',
    open_us: Date.UTC(2026, 3, 4, 16, 15) * 1000,
    close_us: Date.UTC(2026, 3, 4, 16, 30) * 1000,
    settlement_us: Date.UTC(2026, 3, 4, 16, 30, 13) * 1000 + 486_660,
    floor_strike: '67338.34',
    expiration_value: '67454.99',
    result: 'yes',
    strike_type: 'greater_or_equal',
  });
});

test('every ticker of the settled catalogue names its own closing time', { skip }, async () => {
  const { things } = await imported([settled]);
  const pattern = new RegExp(kalshiTickerTime);
  let compared = 0;
  for (const market of things.values()) {
    if (market['kind'] !== 'market') continue;
    assert.equal(tickerTime(String(market['ticker']), pattern, 'America/New_York'), market['close_us']);
    compared += 1;
  }
  assert.equal(compared, 8_631);
});

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const quoteRows = {
  'KXBTC15M-26FEB242330-30': 221,
  'KXBTC15M-26FEB242345-45': 457,
  'KXBTC15M-26FEB250000-00': 450,
  'KXBTC15M-26FEB250015-15': 456,
  'KXBTC15M-26FEB250030-30': 450,
  'KXBTC15M-26FEB250045-45': 435,
  'KXBTC15M-26FEB250100-00': 1,
  'KXETH15M-26FEB242330-30': 239,
  'KXETH15M-26FEB242345-45': 442,
  'KXETH15M-26FEB250000-00': 443,
  'KXETH15M-26FEB250015-15': 456,
  'KXETH15M-26FEB250030-30': 443,
  'KXETH15M-26FEB250045-45': 447,
  'KXSOL15M-26FEB242330-30': 227,
  'KXSOL15M-26FEB242345-45': 458,
  'KXSOL15M-26FEB250000-00': 436,
  'KXSOL15M-26FEB250015-15': 457,
  'KXSOL15M-26FEB250030-30': 442,
  'KXSOL15M-26FEB250045-45': 450,
  'KXXRP15M-26FEB242330-30': 231,
  'KXXRP15M-26FEB242345-45': 450,
  'KXXRP15M-26FEB250000-00': 443,
  'KXXRP15M-26FEB250015-15': 456,
  'KXXRP15M-26FEB250030-30': 443,
  'KXXRP15M-26FEB250045-45': 447,
};

test('the quotes of 25 markets are all there, in number and value', { skip }, async () => {
  const { reports, rows, things, calls } = await imported([quotes]);
  const report = reports[0];
  assert.equal(report?.rowsRead, 2_470);
  assert.equal(report?.observationsStored, 9_880);
  assert.deepEqual(report?.outcomes, { created: 25, changed: 0, unchanged: 0 });
  assert.deepEqual([report?.refused.size, report?.dropped.size, report?.warnings.size], [0, 0, 0]);
  const perMarket: Record<string, number> = {};
  for (const { ticker } of rows.values()) perMarket[ticker] = (perMarket[ticker] ?? 0) + 1;
  assert.deepEqual(Object.fromEntries(Object.entries(perMarket).toSorted(byName)), quoteRows);
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
  assert.deepEqual(eth?.['first_price'], { price: '1906.795', us: 1_771_993_365_058_297 });
  assert.ok(calls.largestBatchRows <= 5_000 && calls.largestBatchBytes < 900_000);
  assert.deepEqual(report?.rolling, ['KXBTC15M', 'KXETH15M', 'KXSOL15M', 'KXXRP15M']);
});

const contents = ({ things, rows }: ReturnType<typeof recordingArchive>): string => {
  const sorted = (of: Map<string, object>) => Array.from(of).toSorted(byName);
  const known = sorted(things).map(([key, thing]) => [key, Object.entries(thing).toSorted(byName)]);
  return JSON.stringify([known, sorted(rows)]);
};

test(
  'both orders of the files, and importing them again, end in the same archive of 8,649 markets',
  { skip },
  async () => {
    const one = await imported([settled, quotes]);
    const other = await imported([quotes, settled]);
    assert.equal(contents(one), contents(other));
    assert.equal(Array.from(one.things.values()).filter((thing) => thing['kind'] === 'market').length, 8_649);
    const before = contents(one);
    const again = await imported([quotes, settled], one);
    assert.equal(contents(again), before);
    assert.deepEqual(
      again.reports.map((report) => report.outcomes),
      [
        { created: 0, changed: 0, unchanged: 25 },
        { created: 0, changed: 0, unchanged: 8_631 },
      ],
    );
  },
);
