import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles, type TestImport } from '../testing/import-files.js';
import { verdictLines, verdictOf } from './verdict.js';

const quotes = (unit: string): string =>
  [
    'name: mine',
    'format: csv',
    'match: { columns: [t, at, bid] }',
    'fields:',
    '  ticker: { column: t }',
    `  ts: { column: at, unit: ${unit} }`,
    '  yes_best_bid: { column: bid }',
  ].join('\n');

const verdict = async (files: Readonly<Record<string, string>>, options?: TestImport) => {
  const { reports } = await importFiles(files, options);
  return { ...verdictOf(reports), lines: verdictLines(verdictOf(reports), reports) };
};

test('a file whose rows are all refused gave nothing, and the last line names it with the most likely remedy', async () => {
  const cents = ['t,at,bid', 'KXA-26AUG10-A,1786399201,45', 'KXA-26AUG10-A,1786399202,46'].join('\n');
  const { empty, lines } = await verdict({ 'cents.csv': cents }, { mapping: quotes('s') });
  assert.deepEqual(empty, [{ file: 'cents.csv', remedy: 'bids look like cents: add unit: cents' }]);
  assert.deepEqual(lines, ['Nothing was imported from cents.csv (bids look like cents: add unit: cents).']);
  const seconds = ['t,at,bid', 'KXA-26AUG10-A,1786399201,0.45'].join('\n');
  const late = await verdict({ 'rows.csv': seconds }, { mapping: quotes('ms') });
  assert.deepEqual(late.empty, [{ file: 'rows.csv', remedy: 'ts looks like seconds: set unit: s' }]);
});

test('an ISO time without a zone is refused with the key of the mapping that says it', async () => {
  const text = ['t,at,bid', 'KXA-26AUG10-A,2026-08-10 12:00:00,0.45'].join('\n');
  const { empty } = await verdict({ 'rows.csv': text }, { mapping: quotes('iso') });
  const remedy = 'the times have no zone: add assume_zone: UTC, or the zone of the recorder';
  assert.deepEqual(empty, [{ file: 'rows.csv', remedy }]);
  const { reports } = await importFiles({ 'rows.csv': `${text}\nA,10.08.2026,0.4` }, { mapping: quotes('iso') });
  assert.deepEqual(Array.from(reports[0]?.refused.keys() ?? []), [
    'ts: an ISO time without a zone, and the mapping has no assume_zone',
    'the time is not an ISO time with date and clock, such as 2026-08-10T12:00:00Z',
  ]);
});

test('prices as other programs write them are refused with what to change, and their row is shown as it was', async () => {
  for (const [price, remedy] of [
    ['0,45', 'bids have a comma, such as 0,45: write the file with points'],
    ['45%', 'bids have a sign, such as 45%: write the file with plain numbers'],
    ['$0.45', 'bids have a sign, such as $0.45: write the file with plain numbers'],
  ] as const) {
    const { empty } = await verdict({ 'rows.csv': `t;at;bid\nA;1786399201;${price}` }, { mapping: quotes('s') });
    assert.deepEqual(empty, [{ file: 'rows.csv', remedy }]);
  }
  const { refused } = await importFiles({ 'rows.csv': 't;at;bid\nA;1786399201;0,45' }, { mapping: quotes('s') });
  assert.partialDeepStrictEqual(refused, [{ line: 2, row: 'A,1786399201,"0,45"' }]);
});

test('a file of which one row is stored gave something, and more than 1 % refused is a warning', async () => {
  const rows = (wrong: number): string =>
    [
      't,at,bid',
      ...Array.from({ length: 300 }, (_, at) => `KXA-26AUG10-A,${1_786_399_201 + at},${at < wrong ? 7 : 0.5}`),
    ].join('\n');
  assert.deepEqual((await verdict({ 'rows.csv': rows(299) }, { mapping: quotes('s') })).lines, [
    'Warning: 299 of 300 rows of rows.csv were refused (bids look like cents: add unit: cents, and import it again. Its other rows were read as dollars).',
  ]);
  assert.deepEqual((await verdict({ 'rows.csv': rows(4) }, { mapping: quotes('s') })).mostlyRefused, [
    {
      file: 'rows.csv',
      refused: 4,
      read: 300,
      remedy: 'bids look like cents: add unit: cents, and import it again. Its other rows were read as dollars',
    },
  ]);
  assert.deepEqual((await verdict({ 'rows.csv': rows(3) }, { mapping: quotes('s') })).lines, []);
});

test('a file with times in two units is not told to use the other one', async () => {
  const text = ['t,at,bid', 'A,1786399201,0.45', 'A,1786399201500,0.45', 'A,1786399203,0.45'].join('\n');
  const { lines } = await verdict({ 'rows.csv': text }, { mapping: quotes('s') });
  const remedy = 'ts looks like milliseconds, unlike other rows: split the file by unit';
  assert.deepEqual(lines, [`Warning: 1 of 3 rows of rows.csv were refused (${remedy}).`]);
});

test('an import of which no file has a row gave nothing, and one empty file beside others is no fault', async () => {
  const market =
    '{"ticker":"KXA-26AUG10-A","event_ticker":"KXA-26AUG10","close_time":"2026-08-10T00:00:00Z","status":"active"}';
  const alone = await verdict({ 'page.json': '{"markets":[],"cursor":""}' });
  assert.deepEqual([alone.isNothing, alone.lines], [true, ['Nothing was imported: the files have no rows.']]);
  const both = await verdict({ 'page.json': '{"markets":[],"cursor":""}', 'markets.jsonl': market });
  assert.deepEqual([both.isNothing, both.empty], [false, []]);
});

test('a repeated import gives the same again', async () => {
  const market =
    '{"ticker":"KXA-26AUG10-A","event_ticker":"KXA-26AUG10","close_time":"2026-08-10T00:00:00Z","status":"active"}';
  assert.deepEqual((await verdict({ 'markets.jsonl': market }, { times: 2 })).lines, []);
});
