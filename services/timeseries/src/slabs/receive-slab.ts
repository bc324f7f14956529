import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asBuffer } from '@almanac/clickhouse';
import { openSlab } from './slab-file.js';
import { SlabFault, type SlabKey } from './slab-format.js';
import { whenComplete } from './write-slab.js';

/** No slab has as many bytes. */
const bytesMax = 256 * 1_048_576;
const receiveMs = 20_000;

/** Writes the file of a slab that another process made, verifies every byte of it, and returns its size. */
export const receiveSlab = (path: string, key: SlabKey, source: Readable): Promise<number> =>
  whenComplete(path, async (unfinished) => {
    const file = createWriteStream(unfinished, { flags: 'wx' });
    await pipeline(source, limited, file, { signal: AbortSignal.timeout(receiveMs) });
    const slab = await openSlab(unfinished, key);
    slab.enter();
    try {
      await slab.verify();
    } finally {
      slab.leave();
      slab.close();
    }
    return (await stat(unfinished)).size;
  });

async function* limited(source: AsyncIterable<unknown>): AsyncGenerator<Buffer, void, void> {
  let bytes = 0;
  for await (const piece of source) {
    const chunk = asBuffer(piece);
    bytes += chunk.length;
    if (bytes > bytesMax) throw new SlabFault('it is too long');
    yield chunk;
  }
}
