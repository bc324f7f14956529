import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ExportQuestion } from '@almanac/contracts';
import { fileKeyOf } from './file-key.js';

const question: ExportQuestion = {
  event: 'E',
  ticker: null,
  series: 'S',
  day: null,
  streams: ['snapshots', 'settlement'],
  format: 'csv',
};
const markets = [
  { ticker: 'A', version: 1, live: false },
  { ticker: 'B', version: 2, live: false },
];
const key = fileKeyOf(question, markets);

describe('the key of a file', () => {
  it('is the same however the same was asked', () => {
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.equal(fileKeyOf({ ...question, streams: ['settlement', 'snapshots'] }, markets.toReversed()), key);
    assert.equal(
      fileKeyOf({ ...question, streams: ['l2', 'snapshots'] }, markets),
      fileKeyOf({ ...question, streams: ['l2'] }, markets),
    );
  });

  it('is another one for other data, columns or bytes', () => {
    const others = [
      fileKeyOf({ ...question, format: 'json' }, markets),
      fileKeyOf({ ...question, streams: ['settlement'] }, markets),
      fileKeyOf({ ...question, ticker: 'A' }, markets),
      fileKeyOf(question, [{ ticker: 'A', version: 2, live: false }, ...markets.slice(1)]),
      fileKeyOf(question, [{ ticker: 'A', version: 1, live: true }, ...markets.slice(1)]),
      fileKeyOf(question, markets.slice(1)),
    ];
    assert.equal(new Set([key, ...others]).size, others.length + 1);
  });
});
