import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { parseMapping } from '../../mapping/load-mapping.js';
import { reportLines } from '../report/report-lines.js';
import { importText, mappingRefusal } from '../testing/import-files.js';
import { header, importTicks, t0 } from '../testing/import-ticks.js';
import { memoryArchive } from '../testing/memory-archive.js';

test('the prices at the open and the close are the last up to then, whatever file comes first', async () => {
  const ticker = 'KXBTC15M-26FEB242330-30';
  const row = (minute: number, price: number) => `${ticker},${Date.UTC(2026, 1, 25, 4, minute)},1,2,${price},5,60,\n`;
  const early = header + row(14, 1) + row(17, 3) + row(16, 2);
  const late = header + row(12, 9) + row(30, 4) + row(31, 5);
  const one = memoryArchive();
  await importTicks(early, { into: one });
  await importTicks(late, { into: one });
  const other = memoryArchive();
  await importTicks(late, { into: other });
  await importTicks(early, { into: other });
  await importTicks(late, { into: other });
  const first = { price: '1', us: Date.UTC(2026, 1, 25, 4, 14) * 1000 };
  const last = { price: '4', us: Date.UTC(2026, 1, 25, 4, 30) * 1000 };
  for (const { things, rows } of [one, other]) {
    const market = things.get(`market ${ticker}`);
    assert.deepEqual([market?.['open_price'], market?.['last_price']], [first, last]);
    assert.equal(rows.size, 6, 'quotes outside of the window are stored too');
  }
});

test('the price at the open of a market is that at the close of the one before it, and never a later one', async () => {
  const [first, next] = ['KXBTC15M-26FEB242315-15', 'KXBTC15M-26FEB242330-30'];
  const openMs = Date.UTC(2026, 1, 25, 4, 15);
  const row = (ticker: string, ms: number, price: number) => `${ticker},${openMs + ms},1,2,${price},5,60,\n`;
  const lines =
    row(first, -2_000, 1) + row('KXETH15M-26FEB242315-15', -500, 7) + row(first, 100, 3) + row(next, 200, 2);
  const { things } = await importTicks(header + lines);
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

test('each value stored with fewer digits is counted, with the first one as an example', async () => {
  const { report, rows } = await importTicks(fine);
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

test('with --exact such a row is refused with the value that has too many digits', async () => {
  const { report, rows, refused } = await importTicks(fine, { exact: true });
  assert.deepEqual(Array.from(rows.keys()), [`A-1 ${(t0 + 2) / 1000}000`]);
  assert.deepEqual([report.observationsRefused, report.altered.size], [4, 0]);
  assert.partialDeepStrictEqual(refused, [
    { line: 2, reason: 'yes_best_bid: would be rounded to 6 decimals (--exact)' },
    { line: 3, reason: 'ts: would be cut to microseconds (--exact)' },
    { line: 5, reason: 'yes_best_bid: would be rounded to 6 decimals (--exact)' },
    { line: 6, reason: 'floor_strike: would be rounded to 2 decimals (--exact)' },
  ]);
});

const sized = `
name: sized
format: csv
match: { columns: [ticker, time, bid, bid_size] }
fields:
  ticker: { column: ticker }
  ts: { column: time, unit: s }
  yes_best_bid: { column: bid }
  yes_best_bid_size: { column: bid_size }
  yes_best_ask: { column: ask }
  yes_best_ask_size: { column: ask_size }
`;
const sizedHeader = 'ticker,time,bid,bid_size,ask,ask_size';

test('sizes at the best bid and ask are stored exactly, and null where the source has none', async () => {
  const rows = ['A,1771992900,0.5,66031.010001,0.51,0.00', 'A,1771992901,0.5,,,', 'A,1771992902,0.5,-0,0.51,7.50'];
  const result = await importText(sized, [sizedHeader, ...rows], { times: 2 });
  assert.deepEqual(
    Array.from(result.rows.values(), ({ bid, ask, sizes }) => [bid, ask, sizes]),
    [
      ['0.5', '0.51', ['66031.010001', '0']],
      ['0.5', null, [null, null]],
      ['0.5', '0.51', ['0', '7.5']],
    ],
  );
});

test('a size that is no size is dropped and counted, and its row is stored', async () => {
  const rows = ['A,1771992900,0.5,-3,0.51,many', 'A,1771992901,0.5,1e99,0.51,7', 'A,1771992902,0.5,1.0000001,0.51,2'];
  const { report, rows: stored } = await importText(sized, [sizedHeader, ...rows]);
  assert.deepEqual(
    Array.from(stored.values(), ({ sizes }) => sizes),
    [
      [null, null],
      [null, '7'],
      ['1', '2'],
    ],
  );
  assert.deepEqual(
    report.dropped,
    new Map([
      ['yes_best_bid_size: not a size from 0', 2],
      ['yes_best_ask_size: not a size from 0', 1],
    ]),
  );
  const first = reportLines(report, false).filter((line) => line.includes('not a size'));
  assert.deepEqual(first, [
    '    2  yes_best_bid_size: not a size from 0, first in line 2: -3',
    '    1  yes_best_ask_size: not a size from 0, first in line 2: many',
  ]);
  assert.deepEqual(Object.fromEntries(report.altered), { 'yes_best_bid_size: rounded to 6 decimals': 1 });
});

test('a file without sizes is sent as before, so that an older archive can store it', async () => {
  const plain = sized.replaceAll(/ {2}yes_best_(bid|ask)_size.*\n/g, '');
  const { rows } = await importText(plain, [sizedHeader, 'A,1771992900,0.5,3,0.51,4']);
  assert.deepEqual(
    Array.from(rows.values(), ({ bid, sizes }) => [bid, sizes]),
    [['0.5', undefined]],
  );
});

test('a mapping cannot state sizes of rows that have a whole book, or no time', () => {
  const size = '  yes_best_bid_size: { column: c }';
  assert.match(mappingRefusal(size), /yes_best_bid_size needs the field ts/);
  assert.match(
    mappingRefusal('  ts: { column: a, unit: s }', '  yes_bids: { column: b }', size),
    /yes_best_bid_size is not for whole books/,
  );
});

describe('the spans of observations at intervals', () => {
  it('are imported if the mapping states a cadence, without rows that were refused', async () => {
    const mapping = (cadence: string): string => `
name: quotes
format: csv
match: { columns: [ticker, time, bid] }
${cadence}
fields:
  ticker: { column: ticker }
  ts: { column: time, unit: s }
  yes_best_bid: { column: bid }
`;
    const rows = [0, 2, 4, 6, 8, 10, 12, 14].map(
      (at) => `A,${1_700_000_000 + at},${at >= 4 && at <= 10 ? 'x' : '0.5'}`,
    );
    const imported = async (cadence: string) => {
      const { report, spans } = await importText(mapping(cadence), ['ticker,time,bid', ...rows]);
      assert.equal(report.error, null);
      return Array.from(spans.values(), ({ start_us, end_us }) =>
        [start_us, end_us].map((us) => us / 1_000_000 - 1_700_000_000),
      );
    };
    assert.deepEqual(await imported('cadence: { every: 2s, tolerance: 3x }'), [
      [0, 2],
      [12, 14],
    ]);
    assert.deepEqual(await imported('cadence: { every: from_data, tolerance: 6x }'), [[0, 14]]);
    assert.deepEqual(await imported(''), []);
  });

  it('need a mapping with times, a duration and a factor', () => {
    const faulty =
      (cadence: string, ts = '  ts: { column: time, unit: s }') =>
      () =>
        parseMapping(
          `name: x\nformat: csv\nmatch: { columns: [a] }\ncadence: ${cadence}\nfields:\n  ticker: { column: a }\n${ts}\n`,
          'x.yaml',
        );
    assert.throws(faulty('{ every: 2s }', ''), /cadence.*needs the field ts/s);
    assert.throws(faulty('{ every: often }'), /cadence/);
    assert.throws(faulty('{ every: 2s, tolerance: 3 }'), /tolerance/);
    assert.doesNotThrow(faulty('{ every: from_data }'));
  });
});
