/**
 * The file of a slab: rows of one market in order of time, as the text of an answer.
 *
 *   text      the rows back to back, each with the separator after it, in blocks
 *   columns   for each block: time, end of the text and whether there is a book, of each of its rows
 *   values    for each block: coin price, best bid and best ask of each of its rows, if the slab has values
 *   footer    what the slab is of (JSON), and for each block its places and the checksums of its parts
 *   trailer   the place of the footer, its checksum, and a mark
 *
 * A read needs the columns of its window, and either exactly the text blocks of its rows, or their values. Each block
 * that it reads is verified, so a file that is cut or corrupt is never served. All numbers are little-endian.
 */
import { crc32 } from 'node:zlib';
import { z } from 'zod';

/** What a slab is of. It is served only for the same. */
export interface SlabKey {
  readonly ticker: string;
  /** Data version of the market. The rows are not older. */
  readonly version: number;
  /** Form of the text. */
  readonly kind: string;
  /** All rows from `fromUs` (inclusive) to `toUs` (exclusive). */
  readonly fromUs: number;
  readonly toUs: number;
  /** Fields that the text repeats in each row, empty if it has none. */
  readonly repeated: string;
  /** Of the SQL that makes the text, because another release can have another one. */
  readonly textVersion: string;
}

/** Where a block is. The last entry of an index is the end of all blocks. */
export interface Block {
  readonly firstUs: number;
  readonly firstRow: number;
  readonly textAt: number;
  readonly columnsAt: number;
  /** The same for all blocks if the slab has no values. */
  readonly valuesAt: number;
  readonly textSum: number;
  readonly columnsSum: number;
  readonly valuesSum: number;
}

/** What a block has. */
export type Section = 'text' | 'columns' | 'values';

/** A file that is cut, corrupt or of something else. */
export class SlabFault extends Error {
  override readonly name = 'SlabFault';
}

/** At the end of a file. Another format has another one. */
export const formatMark = 'ALMSLAB2';
export const trailerBytes = 8 + 4 + 4 + 4 + 4 + 8;
const blockNumbers = 8;
const blockBytes = blockNumbers * 8;

/** A block ends with the row that reaches one of these. */
export const blockRowsMax = 256;
export const blockTextMax = 65_536;

const rowBytes = 8 + 4 + 1;
/** Columns begin at a multiple of eight, so that their times need no copy. */
export const alignedSize = (bytes: number): number => Math.ceil(bytes / 8) * 8;
export const columnsSize = (rows: number): number => alignedSize(rows * rowBytes);

/** The columns of one block. `ends` are positions in its text. */
export interface Columns {
  readonly us: Float64Array;
  readonly ends: Uint32Array;
  readonly hasBook: Uint8Array;
}

/** Views on the bytes of a block's columns, which begin at a multiple of eight in their memory. */
export const columnsIn = (memory: ArrayBufferLike, at: number, rows: number): Columns => ({
  us: new Float64Array(memory, at, rows),
  ends: new Uint32Array(memory, at + rows * 8, rows),
  hasBook: new Uint8Array(memory, at + rows * 12, rows),
});

/** Prices of a row as integers: bid and ask in millionths, coin price in hundred-millionths. NaN without one. */
export interface RowValues {
  readonly bid: number;
  readonly ask: number;
  readonly coin: number;
}
export const priceDigits = 6;
export const coinDigits = 8;

const rowValuesBytes = 8 + 4 + 4;
export const valuesSize = (rows: number): number => rows * rowValuesBytes;

/** The values of one block. Every integer in them is exact. */
export interface Values {
  readonly coin: Float64Array;
  readonly bid: Int32Array;
  readonly ask: Int32Array;
}

/** In place of a missing bid or ask. A coin price is NaN. */
export const noPrice = -(2 ** 31);

/** Views on the bytes of a block's values, which begin at a multiple of eight in their memory. */
export const valuesIn = (memory: ArrayBufferLike, at: number, rows: number): Values => ({
  coin: new Float64Array(memory, at, rows),
  bid: new Int32Array(memory, at + rows * 8, rows),
  ask: new Int32Array(memory, at + rows * 12, rows),
});

export const footerOf = (key: SlabKey, blocks: readonly Block[]): Buffer => {
  const index = new Float64Array(
    blocks.flatMap((block) => [
      block.firstUs,
      block.firstRow,
      block.textAt,
      block.columnsAt,
      block.valuesAt,
      block.textSum,
      block.columnsSum,
      block.valuesSum,
    ]),
  );
  return Buffer.concat([new Uint8Array(index.buffer), Buffer.from(JSON.stringify(key))]);
};

export const trailerOf = (footer: Buffer, footerAt: number, blocks: number): Buffer => {
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeDoubleLE(footerAt, 0);
  trailer.writeUInt32LE(footer.length, 8);
  trailer.writeUInt32LE(blocks, 12);
  trailer.writeUInt32LE(crc32(footer), 16);
  trailer.writeUInt32LE(crc32(trailer.subarray(0, 20)), 20);
  trailer.write(formatMark, 24, 'latin1');
  return trailer;
};

export interface Trailer {
  readonly footerAt: number;
  readonly footerBytes: number;
  readonly blocks: number;
  readonly sum: number;
}

export const trailerIn = (trailer: Buffer): Trailer => {
  const isWhole = trailer.length === trailerBytes && trailer.toString('latin1', 24) === formatMark;
  if (!isWhole || crc32(trailer.subarray(0, 20)) !== trailer.readUInt32LE(20)) throw new SlabFault('it has no end');
  return {
    footerAt: trailer.readDoubleLE(0),
    footerBytes: trailer.readUInt32LE(8),
    blocks: trailer.readUInt32LE(12),
    sum: trailer.readUInt32LE(16),
  };
};

const keySchema: z.ZodType<SlabKey> = z.object({
  ticker: z.string(),
  version: z.int(),
  kind: z.string(),
  fromUs: z.int(),
  toUs: z.int(),
  repeated: z.string(),
  textVersion: z.string(),
});

/** The footer's blocks. Throws if its bytes are corrupt, or if it is of something else. */
export const blocksIn = (footer: Buffer, { blocks, sum }: Trailer, expected: SlabKey): readonly Block[] => {
  if (crc32(footer) !== sum) throw new SlabFault('its footer is corrupt');
  const key = keySchema.parse(JSON.parse(footer.toString('utf8', blocks * blockBytes)));
  for (const [name, value] of Object.entries(expected)) {
    if (key[name as keyof SlabKey] !== value) throw new SlabFault(`its ${name} is another`);
  }
  const number = (block: number, at: number): number => footer.readDoubleLE(block * blockBytes + at * 8);
  return Array.from({ length: blocks }, (_, block) => ({
    firstUs: number(block, 0),
    firstRow: number(block, 1),
    textAt: number(block, 2),
    columnsAt: number(block, 3),
    valuesAt: number(block, 4),
    textSum: number(block, 5),
    columnsSum: number(block, 6),
    valuesSum: number(block, 7),
  }));
};
