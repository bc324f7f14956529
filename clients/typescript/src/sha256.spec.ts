import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { sha256 } from './sha256.js';

describe('sha256', () => {
  it('is that of Node for every length around a block, in pieces of any size', () => {
    const random = seededRandom(7);
    for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1_000, 70_001]) {
      const bytes = Uint8Array.from({ length }, () => Math.floor(random() * 256));
      const hash = sha256();
      for (let at = 0; at < length;) {
        const size = 1 + Math.floor(random() * 200);
        hash.update(bytes.subarray(at, at + size));
        at += size;
      }
      assert.equal(hash.hex(), createHash('sha256').update(bytes).digest('hex'), `${length} bytes`);
    }
  });
});
