import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExportQuery } from '@almanac/contracts';
import { fileKeyOf } from './file-key.js';

const exportQuery: ExportQuery = {
  event: 'E',
  ticker: null,
  series: 'S',
  day: null,
  streams: ['snapshots', 'settlement'],
  format: 'csv',
  numbers: 'decimal',
};
const markets = [
  { ticker: 'A', version: 1, live: false },
  { ticker: 'B', version: 2, live: false },
];
const key = fileKeyOf(exportQuery, markets);

describe('the key of a file', () => {
  it('is the same for equal queries in any form', () => {
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.equal(fileKeyOf({ ...exportQuery, streams: ['settlement', 'snapshots'] }, markets.toReversed()), key);
    assert.equal(
      fileKeyOf({ ...exportQuery, streams: ['l2', 'snapshots'] }, markets),
      fileKeyOf({ ...exportQuery, streams: ['l2'] }, markets),
    );
  });

  it('differs for other data, columns or bytes', () => {
    const others = [
      fileKeyOf({ ...exportQuery, format: 'json' }, markets),
      fileKeyOf({ ...exportQuery, streams: ['settlement'] }, markets),
      fileKeyOf({ ...exportQuery, ticker: 'A' }, markets),
      fileKeyOf({ ...exportQuery, numbers: 'float' }, markets),
      fileKeyOf({ ...exportQuery, csv_formulas: 'escape' }, markets),
      fileKeyOf(exportQuery, [{ ticker: 'A', version: 2, live: false }, ...markets.slice(1)]),
      fileKeyOf(exportQuery, [{ ticker: 'A', version: 1, live: true }, ...markets.slice(1)]),
      fileKeyOf(exportQuery, markets.slice(1)),
    ];
    assert.equal(new Set([key, ...others]).size, others.length + 1);
  });
});
