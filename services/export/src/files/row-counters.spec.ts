import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type CountedFormat, rowCounter } from './row-counters.js';

/** Counts a file that arrives in chunks of this many bytes. */
const count = async (format: CountedFormat, file: Buffer, pieceBytes: number): Promise<number> => {
  const counter = rowCounter(format);
  try {
    for (let at = 0; at < file.length; at += pieceBytes) await counter.add(file.subarray(at, at + pieceBytes));
    return await counter.end();
  } finally {
    counter.close();
  }
};

const files = {
  csv: Buffer.from('"a","b"\r\n"x ""quoted""\n two lines",1\r\n,2\r\n"",\r\n'),
  json: Buffer.from('[\n{"a":"\\n"},\n{"a":2},\n{"a":3}\n]\n'),
  'jsonl.gz': gzipSync('{"a":"\\n"}\n{"a":2}\n{"a":3}\n'),
} as const;
const formats = ['csv', 'json', 'jsonl.gz'] as const;

describe('the row counter of a file', () => {
  it('counts each row once, however the bytes are cut', async () => {
    for (const format of formats) {
      for (const pieceBytes of [1, 2, 3, 7, 1_000])
        assert.equal(await count(format, files[format], pieceBytes), 3, format);
    }
  });

  it('counts the records of any CSV, whatever its fields contain', async () => {
    let state = 7;
    const below = (most: number): number => (state = (state * 48_271) % 2_147_483_647) % most;
    const pieces = ['"', ',', '\r', '\n', '\r\n', 'a', '"\r\n"', '\n"b', ''];
    const text = (): string => Array.from({ length: below(5) }, () => pieces[below(pieces.length)]).join('');
    const field = (): string => (below(3) === 0 ? String(below(9)) : `"${text().replaceAll('"', '""')}"`);
    for (let file = 0; file < 2_000; file += 1) {
      const records = 1 + below(6);
      const csv = Array.from({ length: records }, () => `${field()},${field()}\r\n`).join('');
      assert.equal(await count('csv', Buffer.from(csv), 1 + below(12)), records - 1, JSON.stringify(csv));
    }
  });

  it('counts zero rows in a file without any', async () => {
    assert.equal(await count('csv', Buffer.from('"a"\r\n'), 2), 0);
    assert.equal(await count('json', Buffer.from('[\n\n]\n'), 2), 0);
    assert.equal(await count('jsonl.gz', gzipSync(''), 2), 0);
  });

  it('never accepts a truncated file as complete', async () => {
    for (const format of formats) {
      const file = files[format];
      for (let length = 0; length < file.length; length += 1) {
        const counted = await count(format, file.subarray(0, length), 5).catch(() => -1);
        assert.notEqual(counted, 3, `${format} cut at ${length}`);
      }
    }
  });
});
