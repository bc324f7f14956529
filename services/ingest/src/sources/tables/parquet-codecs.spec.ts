import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { pageCodecs } from './parquet-codecs.js';

const page = Buffer.from('a page of some length '.repeat(100));
const half = page.length / 2;
const packed = {
  ZSTD: zstdCompressSync(page),
  'ZSTD in two frames': Buffer.concat([
    zstdCompressSync(page.subarray(0, half)),
    zstdCompressSync(page.subarray(half)),
  ]),
  GZIP: gzipSync(page),
  BROTLI: brotliCompressSync(page),
};

describe('a packed page', () => {
  for (const [name, bytes] of Object.entries(packed)) {
    const unpack = pageCodecs[name.split(' ')[0] as keyof typeof pageCodecs];
    it(`is unpacked from ${name}`, () => assert.deepEqual(Buffer.from(unpack?.(bytes, page.length) ?? []), page));
    it(`in ${name} has no more than it states`, () =>
      assert.notEqual(
        attempt(() => unpack?.(bytes, 10).length),
        10,
      ));
  }
});

/** Hyparquet compares the length with the stated one. */
const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch {
    return null;
  }
};
