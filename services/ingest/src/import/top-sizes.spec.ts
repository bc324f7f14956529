import assert from 'node:assert/strict';
import { it } from 'node:test';
import { importText, mappingRefusal } from './testing/import-text.js';

const mapping = `
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
const header = 'ticker,time,bid,bid_size,ask,ask_size';

it('sizes at the best bid and ask are stored exactly, and null where the source has none', async () => {
  const rows = ['A,1771992900,0.5,66031.010001,0.51,0.00', 'A,1771992901,0.5,,,', 'A,1771992902,0.5,-0,0.51,7.50'];
  const result = await importText(mapping, [header, ...rows], { times: 2 });
  assert.deepEqual(
    Array.from(result.rows.values(), ({ bid, ask, sizes }) => [bid, ask, sizes]),
    [
      ['0.5', '0.51', ['66031.010001', '0']],
      ['0.5', null, [null, null]],
      ['0.5', '0.51', ['0', '7.5']],
    ],
  );
});

it('a size that is no size is dropped and counted, and its row is stored', async () => {
  const rows = ['A,1771992900,0.5,-3,0.51,many', 'A,1771992901,0.5,1e99,0.51,7', 'A,1771992902,0.5,1.0000001,0.51,2'];
  const { report, rows: stored } = await importText(mapping, [header, ...rows]);
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
  assert.deepEqual(Object.fromEntries(report.altered), { 'yes_best_bid_size: rounded to 6 decimals': 1 });
});

it('a file without sizes is sent as before, so that an older archive can store it', async () => {
  const plain = mapping.replaceAll(/ {2}yes_best_(bid|ask)_size.*\n/g, '');
  const { rows } = await importText(plain, [header, 'A,1771992900,0.5,3,0.51,4']);
  assert.deepEqual(
    Array.from(rows.values(), ({ bid, sizes }) => [bid, sizes]),
    [['0.5', undefined]],
  );
});

it('a mapping cannot state sizes of rows that have a whole book, or no time', () => {
  const size = '  yes_best_bid_size: { column: c }';
  assert.match(mappingRefusal(size), /yes_best_bid_size needs the field ts/);
  assert.match(
    mappingRefusal('  ts: { column: a, unit: s }', '  yes_bids: { column: b }', size),
    /yes_best_bid_size is not for whole books/,
  );
});
