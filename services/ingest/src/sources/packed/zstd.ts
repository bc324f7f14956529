import { createZstdDecompress, constants } from 'node:zlib';
import { streamed } from './streamed.js';

/**
 * zstd, frame by frame: Node's decompressor ends silently after the first frame, and parallel compressors and appended files
 * have many. Frames are found by their block headers, so that each gets a decompressor of its own.
 */
export async function* unpackZstd(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const input = new ByteQueue(blocks);
  try {
    while (await input.has(1)) {
      const magic = (await input.take(4)).readUInt32LE(0);
      if ((magic & 0xff_ff_ff_f0) >>> 0 === skippableMagic) {
        for (let left = (await input.take(4)).readUInt32LE(0); left > 0; left -= Math.min(left, pieceBytes))
          await input.take(Math.min(left, pieceBytes));
        continue;
      }
      if (magic !== zstdMagic) throw new Error('what follows is not zstd');
      yield* streamed(frameBytes(input), createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 31 } }));
    }
  } finally {
    await input.close();
  }
}

const zstdMagic = 0xfd_2f_b5_28;
const skippableMagic = 0x18_4d_2a_50;
const pieceBytes = 64 * 1024;

/** The bytes of one frame whose magic number has been read. */
async function* frameBytes(input: ByteQueue): AsyncGenerator<Buffer, void, undefined> {
  const descriptor = await input.take(1);
  const flags = descriptor[0] ?? 0;
  const isSingle = (flags & 0x20) !== 0;
  const contentSize = [isSingle ? 1 : 0, 2, 4, 8][flags >>> 6] ?? 0;
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(zstdMagic);
  yield Buffer.concat([magic, descriptor, await input.take((isSingle ? 0 : 1) + dictionary + contentSize)]);
  for (let isLast = false; !isLast;) {
    const header = await input.take(3);
    const bits = header.readUIntLE(0, 3);
    isLast = (bits & 1) === 1;
    const isRepeated = ((bits >>> 1) & 3) === 1;
    yield Buffer.concat([header, await input.take(isRepeated ? 1 : bits >>> 3)]);
  }
  if ((flags & 4) !== 0) yield await input.take(4);
}

/** Takes exact numbers of bytes from blocks of any size. */
class ByteQueue {
  readonly #input: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(blocks: AsyncIterable<Buffer>) {
    this.#input = blocks[Symbol.asyncIterator]();
  }

  async has(bytes: number): Promise<boolean> {
    const parts = [this.#held];
    let size = this.#held.length;
    while (size < bytes) {
      const next = await this.#input.next();
      if (next.done === true) break;
      parts.push(next.value);
      size += next.value.length;
    }
    if (parts.length > 1) this.#held = Buffer.concat(parts);
    return size >= bytes;
  }

  async take(bytes: number): Promise<Buffer> {
    if (!(await this.has(bytes))) throw new Error('the data ends early');
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }

  async close(): Promise<void> {
    await this.#input.return?.();
  }
}
