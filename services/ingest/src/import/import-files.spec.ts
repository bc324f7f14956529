import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Archive, dryRunArchive } from '../archive.js';
import { ArchiveError } from '../errors.js';
import { reportLines } from './report/report-lines.js';
import { importSummary } from './report/summary.js';
import { importFiles, importPaths, type TestImport } from './testing/import-files.js';
import { withFolder } from './testing/with-folder.js';
import { header, importTicks, t0, ticks } from './testing/import-ticks.js';
import { memoryArchive } from './testing/memory-archive.js';

test('an invalid row is refused with its reason and line, and the other rows are stored', async () => {
  const { report, rows, refused } = await importTicks(
    header +
      `A-1,${t0},10,12,1,5,60,\n` +
      `,${t0},10,12,1,5,60,\n` +
      `A-1,,10,12,1,5,60,\n` +
      `A-1,soon,10,12,1,5,60,\n` +
      `A-1,${t0 + 1},110,12,1,5,60,\n` +
      `A-1,${t0 + 2},10,x,1,5,60,\n` +
      `A-1,${t0 + 3},10\n` +
      `\n` +
      `${'é'.repeat(100)},${t0},10,12,1,5,60,\n` +
      `A-1,${t0 + 4},10,12,1,5,60,rate limited\n` +
      `A-1,${t0 + 5},,0,none,5,60,\n`,
  );
  assert.equal(report.error, null);
  assert.deepEqual(
    refused.map((row) => (row instanceof Object && 'line' in row && 'reason' in row ? [row.line, row.reason] : row)),
    [
      [8, 'the number of columns differs from the header'],
      [3, 'no ticker'],
      [4, 'no time'],
      [5, 'the time is not a whole number of the unit in the mapping'],
      [6, 'yes_best_bid: not a price from 0 to 1'],
      [7, 'yes_best_ask: not a price from 0 to 1'],
      [10, 'the ticker, series or event is longer than 255 bytes'],
      [11, 'the source reports an error'],
    ],
  );
  assert.equal(report.rowsRead, 10);
  assert.deepEqual(
    Array.from(rows.values(), ({ ts, bid, ask, coinPrice }) => [ts, bid, ask, coinPrice]),
    [
      [`${t0 / 1000}.000000`, '0.1', '0.12', '1'],
      [`${t0 / 1000}.005000`, null, '0', null],
    ],
    'an empty side is null, a 0 of the source stays 0',
  );
  assert.equal(report.dropped.get('coin_price: not a decimal number'), 1);
});

test('a close is read from the ticker, else from the time to expiry, and a 0 after the close is ignored', async () => {
  const { things } = await importTicks(
    `${header}KXBTC15M-26FEB242330-30,${t0},10,12,7,5,60,\nA-1,${t0},10,12,1,5,599.7,\nA-2,${t0},10,12,1,5,0,\n`,
  );
  assert.equal(things.get('market KXBTC15M-26FEB242330-30')?.['close_us'], Date.UTC(2026, 1, 25, 4, 30) * 1000);
  assert.equal(things.get('market A-1')?.['close_us'], Date.UTC(2026, 1, 25, 4, 30) * 1000);
  assert.equal(things.get('market A-1')?.['open_us'], Date.UTC(2026, 1, 25, 4, 15) * 1000);
  assert.equal(things.get('market A-2')?.['close_us'], undefined);
});

test('the first strike counts, a later one is reported, and a missing first one is filled in', async () => {
  const { things, report } = await importTicks(
    `${header}A-1,${t0},10,12,1,5.001,60,\nA-1,${t0 + 1},10,12,1,5,60,\nA-1,${t0 + 2},10,12,1,6,60,\nA-2,${t0},1,2,1,,60,\nA-2,${t0},1,2,1,8.5,60,\n`,
  );
  assert.equal(things.get('market A-1')?.['floor_strike'], '5');
  assert.equal(things.get('market A-2')?.['floor_strike'], '8.5');
  assert.deepEqual(Object.fromEntries(report.warnings), { 'floor_strike: another value than the first one': 1 });
});

test('quotes, quoted line breaks, CRLF, a BOM and a missing last line break are read', async () => {
  const content = `\uFEFF${header}"A-1",${t0},10,12,1,"5",60,\n"A,\n""2""",${t0},10,12,1,5,60,\nA-3,bad,1,1,1,5,60,`;
  for (const text of [content, content.replaceAll('\n', '\r\n')]) {
    const { rows, refused, report } = await importTicks(text);
    assert.equal(report.error, null);
    assert.equal(rows.size, 2);
    assert.match(Array.from(rows.values())[1]?.ticker ?? '', /^A,(\\r)?\\n"2"$/);
    assert.partialDeepStrictEqual(refused, [{ line: 5 }], 'lines are those of the file');
  }
});

const many = (rows: number): string =>
  header +
  Array.from({ length: rows }, (_, index) => `A-${index % 7},${t0 + index},10,12,${index % 100},5,60,\n`).join('');

test('gzip is detected by its bytes, and a truncated stream keeps its complete rows', async () => {
  const packed = gzipSync(many(20_000));
  const uninterrupted = await importTicks(packed);
  assert.equal(uninterrupted.report.error, null);
  assert.equal(uninterrupted.report.observationsStored, 20_000);
  const cut = await importTicks(packed.subarray(0, Math.floor(packed.length / 2)));
  assert.match(cut.report.error ?? '', /ticks\.csv: the gzip data is incomplete or damaged/);
  assert.ok(cut.rows.size > 5_000 && cut.rows.size < 20_000, String(cut.rows.size));
  assert.equal(cut.report.observationsStored, cut.rows.size);
  assert.equal(Array.from(cut.things.keys()).length, 7, 'its markets are there');
});

test('each invalid file is reported by name, and the others continue', () =>
  withFolder(async (folder) => {
    const write = (name: string, content: string | Buffer) => writeFile(join(folder, name), content);
    await mkdir(join(folder, 'b'));
    await write('a.csv', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 1]));
    await write('b/empty.csv', '');
    await write('b/latin.csv', Buffer.from('ticker,t\xEFme\n', 'latin1'));
    await write('c.csv', 'ticker,when\nA-1,5\n');
    await write('d.csv', `ticker,time\nA-1,5\n`);
    await write('e.json', '[{"ticker": "A-1"}]');
    await write('f.json', '{\n  "ticker": "A-1"\n}');
    await write('g.jsonl', '{"ticker": "A-1", "time": 5}\n');
    await write('h.csv', `${header}"A-1,${t0},1,2\n`.padEnd(9_000_000, 'x'));
    await write('i.csv', `${header.replace('price', 'bid')}A-1,${t0},1,2,3,4,5,\n`);
    await write('z.csv', `${header}A-1,${t0},10,12,1,5,60,\n`);
    const { reports, rows } = await importPaths([folder], { mapping: ticks });
    const errors = new Map(
      reports.map(({ file, error, passedOver }) => [
        file,
        error ?? (passedOver === null ? '' : `passed over: ${passedOver}`),
      ]),
    );
    const expected: Record<string, RegExp> = {
      'a.csv': /a\.csv: the zip archive is cut or damaged/,
      'empty.csv': /b\/empty\.csv: the file is empty/,
      'latin.csv': /b\/latin\.csv: the file is not UTF-8 text: the first invalid byte is at or after byte 0/,
      'c.csv': /^passed over: the mapping ticks needs the missing columns time\. The file has: ticker, when/,
      'd.csv': /d\.csv: the column error is missing\. The field refuse_when of the mapping ticks needs it/,
      'e.json': /^passed over: the file is json, but the mapping ticks is for csv/,
      'f.json': /^passed over: the file is json, but the mapping ticks is for csv/,
      'g.jsonl': /^passed over: the file is jsonl, but the mapping ticks is for csv/,
      'h.csv': /h\.csv: the record at line 2 has no end/,
      'i.csv': /i\.csv: the file has two columns with the name bid/,
      'z.csv': /^$/,
    };
    assert.deepEqual([...errors.keys()], Object.keys(expected));
    for (const [file, error] of errors) assert.match(error, expected[file] ?? /never/, file);
    assert.equal(rows.size, 1);
    await assert.rejects(importPaths([join(folder, 'nothing.csv')]), /nothing\.csv cannot be read/);
  }));

test('a file that matches no mapping is refused with the expected columns', () =>
  withFolder(async (folder) => {
    await writeFile(join(folder, 'other.csv'), 'ticker,volume\nA,1\n');
    const [report] = (await importPaths([folder])).reports;
    assert.match(report?.error ?? '', /other\.csv: no built-in mapping matches these columns: ticker, volume/);
    assert.match(report?.error ?? '', /kalshi-settled-markets \(csv\): missing event_ticker, series, open_time/);
  }));

test('JSON lines are read by dotted paths with every digit of a number', async () => {
  const lines = [
    '{"id":"A-1","at":1771993365.058297,"q":{"bid":0.51,"ask":null},"px":1234567890.12345678}',
    '{"id":"A-1","at":1771993366,"q":{"bid":0.009,"ask":1e-1},"px":"7.10"}',
    'not json',
    '[]',
    '{"at":1}',
    '{"id":"A-2","at":1771993366,"q":{"bid":0.1234567},"px":12345678901}',
  ];
  const mapping = `
name: rows
format: jsonl
match: { columns: [id, q.bid] }
fields:
  ticker: { column: id }
  ts: { column: at, unit: s }
  yes_best_bid: { column: q.bid }
  yes_best_ask: { column: q.ask }
  coin_price: { column: px }
`;
  const { report, rows } = await importFiles({ 'rows.jsonl': gzipSync(lines.join('\n')) }, { mapping });
  assert.deepEqual(
    Array.from(rows.values(), ({ ts, bid, ask, coinPrice }) => [ts, bid, ask, coinPrice]),
    [
      ['1771993365.058297', '0.51', null, '1234567890.12345678'],
      ['1771993366.000000', '0.009', '0.1', '7.1'],
      ['1771993366.000000', '0.123457', null, null],
    ],
    'what the columns of the archive cannot hold is rounded or dropped, and does not fail the batch',
  );
  assert.deepEqual(Object.fromEntries(report.refused), {
    'not JSON': 1,
    'not a JSON object': 1,
    'no ticker': 1,
  });
});

test('a license in a folder is skipped, and refused if the command line names it', () =>
  withFolder(async (folder) => {
    const license = join(folder, 'LICENSE');
    await writeFile(license, '\n            Apache License\n      Version 2.0, January 2004\n');
    const [found] = (await importPaths([folder])).reports;
    const why = 'the file is not a table: its first line has one column';
    assert.deepEqual([found?.error, found?.passedOver], [null, why]);
    const [named] = (await importPaths([license])).reports;
    assert.match(named?.error ?? '', /LICENSE: the file is not a table/);
  }));

test('an answer without records is named by its list, plain or as a recorder wraps it', async () => {
  const recorded = { _metadata: { recorded_at: '2026-01-12T22:08:11.093148+00:00' } };
  const answers = {
    'fees.json': { ...recorded, response: { series_fee_change_arr: [] } },
    'markets.json': { markets: [], cursor: '' },
    'trades.json': { trades: [], cursor: '' },
    'nothing.json': [],
  };
  const texts = Object.entries(answers).map(([name, answer]) => [name, JSON.stringify(answer)] as const);
  const { reports } = await importFiles(Object.fromEntries(texts));
  assert.deepEqual(
    Object.fromEntries(
      reports.map(({ file, mapping, rowsRead, error }) => [file, [mapping, rowsRead, error === null]]),
    ),
    {
      'fees.json': ['kalshi-fee-changes', 0, true],
      'markets.json': ['kalshi-markets', 0, true],
      'nothing.json': [null, 0, false],
      'trades.json': ['kalshi-trades', 0, true],
    },
  );
});

const pairs = `
name: ticks
format: csv
match: { columns: [ticker, time] }
expand: { prefixes: ['a_', 'b_'] }
refuse_when: '{prefix}error'
fields:
  ticker: { column: '{prefix}ticker' }
  ts: { column: time, unit: ms }
  yes_best_bid: { column: '{prefix}bid' }
  coin_price: { column: '{prefix}price' }
`;
const pairHeader = 'ticker,time,a_ticker,a_bid,a_price,a_error,b_ticker,b_bid,b_price,b_error\n';
const pairsMs = 1_771_993_365_000;
const row = (ms: number, { a = '0.5', b = '0.5', error = '' } = {}): string =>
  `x,${pairsMs + ms},A-1,${a},1,${error},B-1,${b},2,\n`;

const importOf = async (files: Readonly<Record<string, string>>, options?: TestImport) => {
  const result = await importFiles(files, { mapping: pairs, ...options });
  const summary = importSummary(result, false);
  return { ...result, of: summary.files.map(({ observations }) => observations), all: summary.total.observations };
};

/** Each count is of another place of the code, so a row that is lost breaks the sum. */
const addsUp = (all: Awaited<ReturnType<typeof importOf>>['all']): void => {
  const { read, ...rest } = all;
  assert.equal(
    read,
    Object.values(rest).reduce((sum, one) => sum + one, 0),
  );
};

describe('read = stored + replaced + refused + not stored', () => {
  it('by file and in total, and stored is what can be read', async () => {
    const { of, all, rows } = await importOf({
      'one.csv':
        pairHeader + row(1) + row(2) + row(3) + row(3) + row(2, { a: '0.6' }) + row(4, { error: 'late' }) + 'x,1\n',
      'two.csv': pairHeader + row(9) + row(1) + row(3, { b: '0.7' }) + row(9, { a: '2', b: '0.9' }),
    });
    assert.deepEqual(of, [
      // 6 rows of two markets, and a broken row.
      { read: 13, stored: 7, replaced_equal: 3, replaced_different: 1, refused: 2, not_stored: 0 },
      { read: 8, stored: 2, replaced_equal: 3, replaced_different: 2, refused: 1, not_stored: 0 },
    ]);
    for (const one of [...of, all]) addsUp(one);
    assert.equal(all.stored, rows.size);
    assert.equal(rows.get(`A-1 ${(pairsMs + 2) / 1000}000`)?.bid, '0.6');
  });

  it('with an archive that fails on the way, which ends the import', async () => {
    let batches = 0;
    const into = memoryArchive();
    const failing: Archive = {
      ...dryRunArchive,
      storeObservations: async (batch) => {
        batches += 1;
        if (batches > 1) throw new ArchiveError('the disk is full');
        await into.archive.storeObservations(batch);
      },
    };
    const content = pairHeader + Array.from({ length: 9_000 }, (_, ms) => row(ms)).join('');
    const files = { 'one.csv': content, 'two.csv': pairHeader + row(1) };
    const { all, aborted, reports } = await importOf(files, { into, archive: failing });
    assert.deepEqual([aborted, reports.length], ['the disk is full', 1]);
    addsUp(all);
    assert.equal(all.stored, into.rows.size);
    assert.ok(all.not_stored > 0);
  });
});

test('a second row of a time is printed as replaced, equal and different apart', async () => {
  const { report } = await importOf({ 'one.csv': pairHeader + row(1) + row(1) + row(1, { a: '0.6' }) });
  assert.match(
    reportLines(report, false).join('\n'),
    /observations read 6: stored 2, replaced 4 \(3 equal, 1 different\), refused 0$/m,
  );
});
