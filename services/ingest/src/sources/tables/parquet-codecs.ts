import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Compressors } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** Node's own need half of the processor time and memory of those in JavaScript. They end after one frame, so another one makes theirs count. */
const ofNode = {
  ZSTD: zstdDecompressSync,
  GZIP: gunzipSync,
  BROTLI: brotliDecompressSync,
} as const;

type NodeCodec = keyof typeof ofNode;

const withNode = (codec: NodeCodec): Compressors => ({
  [codec]: (input: Uint8Array, size: number) => {
    const page = ofNode[codec](input, { maxOutputLength: Math.max(1, size) });
    return page.length === size ? page : (compressors[codec]?.(input, size) ?? page);
  },
});

/** By codec of a Parquet file. */
export const pageCodecs: Compressors = {
  ...compressors,
  ...withNode('ZSTD'),
  ...withNode('GZIP'),
  ...withNode('BROTLI'),
};
