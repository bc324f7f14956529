import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partBytesOf } from './put-stream.js';

describe('the parts of an object', () => {
  it('are at most 10,000, which is the limit of S3, for an object of any size', () => {
    const gib = 1_024 ** 3;
    for (const bytes of [0, gib, 58 * gib, 59 * gib, 150 * gib, 5_000 * gib])
      assert.ok(Math.ceil(bytes / partBytesOf(bytes)) <= 10_000, String(bytes));
  });

  it('have 6 MiB up to 58 GiB', () => {
    for (const bytes of [undefined, 0, 58 * 1_024 ** 3]) assert.equal(partBytesOf(bytes), 6 * 1_024 ** 2);
  });
});
