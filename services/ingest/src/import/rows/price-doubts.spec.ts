import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importFiles } from '../testing/import-files.js';

const warned = async (unit: string, rows: readonly string[]) => {
  const fields = ['ticker: { column: t }', 'ts: { column: at, unit: s }'];
  const prices = [`yes_best_bid: { column: bid${unit} }`, `yes_best_ask: { column: ask${unit} }`];
  const mapping = [
    'name: mine',
    'match: { columns: [t, at, bid, ask] }',
    'fields:',
    ...[...fields, ...prices].map((field) => `  ${field}`),
  ];
  const text = ['t,at,bid,ask', ...rows.map((row, index) => `A,${1_786_399_201 + index},${row}`)].join('\n');
  const { report } = await importFiles({ 'rows.csv': text }, { mapping: mapping.join('\n') });
  return Array.from(report.warnings.keys());
};

const cents = ', unit: cents';
const dollars = (name: string): string =>
  `${name}: all prices of the first rows are below one cent. If they are dollars, remove unit: cents`;
const crossed = 'the bid is above the ask in most of the first rows. Check which column is which';

test('dollars that are read as cents, and sides that are read as each other, are a warning', async () => {
  assert.deepEqual(await warned(cents, ['0.49,0.51', '0,1.0']), [dollars('yes_best_bid')]);
  assert.deepEqual(await warned(cents, ['0.49,0.51', '0,0.02']), ['yes_best_bid', 'yes_best_ask'].map(dollars));
  assert.deepEqual(await warned(cents, ['0.5,0.9', '1,2', ',']), []);
  assert.deepEqual(await warned(cents, ['0,0', '0,']), []);
  assert.deepEqual(await warned('', ['0.001,0.002']), []);
  assert.deepEqual(await warned('', ['0.51,0.49', '0.5,0.4', '0.4,0.5']), [crossed]);
  assert.deepEqual(await warned('', ['0.51,0.49', '0.4,0.5', '0.5,0.5']), []);
});

test('also of trades', async () => {
  const fields = [
    'ticker: { column: t }',
    'trade_id: { column: id }',
    'venue_ts: { column: at, unit: s }',
    'size: { column: n }',
  ];
  const mapping = [
    'name: mine',
    'match: { columns: [t, id] }',
    'fields:',
    ...[...fields, 'price: { column: p, unit: cents }'].map((field) => `  ${field}`),
  ];
  const { report } = await importFiles(
    { 'rows.csv': 't,id,at,n,p\nA,1,1786399201,5,0.49\n' },
    { mapping: mapping.join('\n') },
  );
  assert.deepEqual(Array.from(report.warnings.keys()), [dollars('price')]);
});
