import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportLines } from './report-lines.js';
import { header, imported, t0 } from './testing/import-ticks.js';
import { memoryArchive } from './testing/memory-archive.js';

test('the prices at the open and the close are the last up to then, whatever file comes first', async (t) => {
  const ticker = 'KXBTC15M-26FEB242330-30';
  const row = (minute: number, price: number) => `${ticker},${Date.UTC(2026, 1, 25, 4, minute)},1,2,${price},5,60,\n`;
  const early = header + row(14, 1) + row(17, 3) + row(16, 2);
  const late = header + row(12, 9) + row(30, 4) + row(31, 5);
  const one = memoryArchive();
  await imported(t, early, { into: one });
  await imported(t, late, { into: one });
  const other = memoryArchive();
  await imported(t, late, { into: other });
  await imported(t, early, { into: other });
  await imported(t, late, { into: other });
  const first = { price: '1', us: Date.UTC(2026, 1, 25, 4, 14) * 1000 };
  const last = { price: '4', us: Date.UTC(2026, 1, 25, 4, 30) * 1000 };
  for (const { things, rows } of [one, other]) {
    const market = things.get(`market ${ticker}`);
    assert.deepEqual([market?.['open_price'], market?.['last_price']], [first, last]);
    assert.equal(rows.size, 6, 'quotes outside of the window are stored too');
  }
});

test('the price at the open of a market is that at the close of the one before it, and never a later one', async (t) => {
  const [first, next] = ['KXBTC15M-26FEB242315-15', 'KXBTC15M-26FEB242330-30'];
  const openMs = Date.UTC(2026, 1, 25, 4, 15);
  const row = (ticker: string, ms: number, price: number) => `${ticker},${openMs + ms},1,2,${price},5,60,\n`;
  const lines =
    row(first, -2_000, 1) + row('KXETH15M-26FEB242315-15', -500, 7) + row(first, 100, 3) + row(next, 200, 2);
  const { things } = await imported(t, header + lines);
  assert.deepEqual(things.get(`market ${next}`)?.['open_price'], { price: '1', us: (openMs - 2_000) * 1_000 });
  assert.deepEqual(things.get(`market ${first}`)?.['last_price'], { price: '1', us: (openMs - 2_000) * 1_000 });
  assert.equal(things.get(`market ${first}`)?.['open_price'], undefined);
});

const fine =
  header +
  `A-1,${t0},10.00001,12,1.123456789,5,60,\n` +
  `A-1,${t0 + 1}.0004,10,12,1.5,5,60,\n` +
  `A-1,${t0 + 2}.000,10,12,1.50000000000,5,60,\n` +
  `A-1,${t0 + 3},10.00002,12,1.5,5,60,\n` +
  `A-2,${t0},10,12,1.5,5.001,60,\n`;

test('each value stored with fewer digits is counted, with the first one as an example', async (t) => {
  const { report, rows } = await imported(t, fine);
  assert.equal(rows.size, 5);
  assert.deepEqual(Object.fromEntries(report.altered), {
    'yes_best_bid: rounded to 6 decimals': 2,
    'coin_price: rounded to 8 decimals': 1,
    'ts: cut to microseconds': 1,
    'floor_strike: rounded to 2 decimals': 1,
  });
  assert.deepEqual(reportLines(report, false).slice(-5), [
    '  values kept with fewer digits 5:',
    '    2  yes_best_bid: rounded to 6 decimals, such as 0.1000001 as 0.1',
    '    1  coin_price: rounded to 8 decimals, such as 1.123456789 as 1.12345679',
    `    1  ts: cut to microseconds, such as ${t0 + 1}.0004 as ${(t0 + 1) / 1000}000`,
    '    1  floor_strike: rounded to 2 decimals, such as 5.001 as 5',
  ]);
});

test('with --exact such a row is refused with the value that has too many digits', async (t) => {
  const { report, rows, refused } = await imported(t, fine, { exact: true });
  assert.deepEqual(Array.from(rows.keys()), [`A-1 ${(t0 + 2) / 1000}000`]);
  assert.deepEqual([report.observationsRefused, report.altered.size], [4, 0]);
  assert.partialDeepStrictEqual(refused, [
    { line: 2, reason: 'yes_best_bid: would be rounded to 6 decimals (--exact)' },
    { line: 3, reason: 'ts: would be cut to microseconds (--exact)' },
    { line: 5, reason: 'yes_best_bid: would be rounded to 6 decimals (--exact)' },
    { line: 6, reason: 'floor_strike: would be rounded to 2 decimals (--exact)' },
  ]);
});
