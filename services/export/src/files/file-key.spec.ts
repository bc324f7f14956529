import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileKeyOf } from './file-key.js';
import { eventQuery } from '../testing/queries.js';

const markets = [
  { ticker: 'A', version: 1, live: false },
  { ticker: 'B', version: 2, live: false },
];
const key = fileKeyOf(eventQuery, markets);

describe('the key of a file', () => {
  it('is the same for equal queries in any form', () => {
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.equal(fileKeyOf({ ...eventQuery, streams: ['settlement', 'snapshots'] }, markets.toReversed()), key);
    assert.equal(
      fileKeyOf({ ...eventQuery, streams: ['l2', 'snapshots'] }, markets),
      fileKeyOf({ ...eventQuery, streams: ['l2'] }, markets),
    );
    assert.equal(
      fileKeyOf({ ...eventQuery, streams: ['sizes', 'snapshots'] }, markets),
      fileKeyOf({ ...eventQuery, streams: ['sizes'] }, markets),
    );
  });

  it('differs for other data, columns or bytes', () => {
    const others = [
      fileKeyOf({ ...eventQuery, format: 'json' }, markets),
      fileKeyOf({ ...eventQuery, streams: ['settlement'] }, markets),
      fileKeyOf({ ...eventQuery, streams: ['snapshots', 'settlement', 'sizes'] }, markets),
      fileKeyOf({ ...eventQuery, ticker: 'A' }, markets),
      fileKeyOf({ ...eventQuery, numbers: 'float' }, markets),
      fileKeyOf({ ...eventQuery, csv_formulas: 'escape' }, markets),
      fileKeyOf(eventQuery, [{ ticker: 'A', version: 2, live: false }, ...markets.slice(1)]),
      fileKeyOf(eventQuery, [{ ticker: 'A', version: 1, live: true }, ...markets.slice(1)]),
      fileKeyOf(eventQuery, markets.slice(1)),
    ];
    assert.equal(new Set([key, ...others]).size, others.length + 1);
  });
});
