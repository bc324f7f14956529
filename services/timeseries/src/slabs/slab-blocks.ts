import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Block, type Section, SlabFault } from './slab-format.js';

/** An open file and its index, whose last entry is the end of all blocks. */
export interface BlockSource {
  readonly file: FileHandle;
  readonly blocks: readonly Block[];
  readonly blockAt: (at: number) => Block;
}

/** Blocks from one of the index (inclusive) to another (exclusive). */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** Neighbouring blocks are read at once up to this size, so that a read takes little memory. */
export const readBytesMax = 4 * 1_048_576;

export const readExactly = async (file: FileHandle, position: number, length: number): Promise<Buffer<ArrayBuffer>> => {
  // Memory of its own, so that numbers begin at a multiple of eight.
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(bytes, at, length - at, position + at);
    if (bytesRead === 0) throw new SlabFault('it is cut');
    at += bytesRead;
  }
  return bytes;
};

/** One section of some blocks. Throws if a byte of them is another. */
export const readVerified = async (
  { file, blockAt }: BlockSource,
  section: Section,
  { from, to }: BlockRange,
): Promise<Buffer<ArrayBuffer>> => {
  const placeOf = (at: number): number => blockAt(at)[`${section}At` as const];
  const base = placeOf(from);
  const bytes = await readExactly(file, base, placeOf(to) - base);
  for (let at = from; at < to; at += 1) {
    const sum = crc32(bytes.subarray(placeOf(at) - base, placeOf(at + 1) - base));
    if (sum !== blockAt(at)[`${section}Sum` as const]) throw new SlabFault(`a block is corrupt (${section})`);
  }
  return bytes;
};

/** The number of sorted values below `value`. */
export const countBelow = (count: number, valueAt: (index: number) => number, value: number): number => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (valueAt(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The blocks that have the rows of a window, and the row before it. */
export const blocksOfWindow = (
  { blocks, blockAt }: BlockSource,
  { startUs, endUs }: { readonly startUs: number; readonly endUs: number },
): BlockRange => {
  const firstUsAt = (at: number): number => blockAt(at).firstUs;
  // The first row of the window can be in the block before the first that begins in it.
  const from = Math.max(0, countBelow(blocks.length - 1, firstUsAt, startUs) - 1);
  return { from, to: Math.max(from, countBelow(blocks.length - 1, firstUsAt, endUs)) };
};
