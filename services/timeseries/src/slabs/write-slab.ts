import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import {
  type Block,
  blockRowsMax,
  blockTextMax,
  columnsIn,
  columnsSize,
  footerOf,
  alignedSize,
  type SlabKey,
  trailerOf,
} from './slab-format.js';

/** A row of a slab: its time and the bytes `[from, to)` of its text. */
export interface SlabRow {
  readonly us: number;
  readonly hasBook: boolean;
  readonly text: Buffer;
}

export interface SlabContent {
  readonly key: SlabKey;
  readonly separator: string;
  /** In order of time, in groups. */
  readonly rows: AsyncIterable<readonly SlabRow[]>;
  readonly bytesMax: number;
}

/** The rows take more than one slab may have. */
export class SlabTooLarge extends Error {
  override readonly name = 'SlabTooLarge';
}

/**
 * Writes a slab and returns its size. The file appears under its name when it is complete. It may be lost, so nothing
 * waits for the disk.
 */
export const writeSlab = (path: string, content: SlabContent): Promise<number> =>
  whenComplete(path, async (unfinished) => {
    const file = await open(unfinished, 'wx');
    try {
      return await writeTo(file, content);
    } finally {
      await file.close();
    }
  });

/** Gives a file its name after it is written. */
export const whenComplete = async (path: string, write: (unfinished: string) => Promise<number>): Promise<number> => {
  const unfinished = `${path}.tmp`;
  try {
    const bytes = await write(unfinished);
    await rename(unfinished, path);
    return bytes;
  } catch (error) {
    // The next start deletes it if this cannot.
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
};

const writeTo = async (file: FileHandle, { key, separator, rows, bytesMax }: SlabContent): Promise<number> => {
  const blocks = blockWriter(file, Buffer.from(separator));
  for await (const group of rows) {
    for (const row of group) if (blocks.add(row)) await blocks.write();
    if (blocks.bytes > bytesMax) throw new SlabTooLarge(`${key.ticker} has more than ${bytesMax} bytes`);
  }
  await blocks.write();
  return blocks.finish(key);
};

interface WrittenBlock extends Pick<Block, 'firstUs' | 'firstRow' | 'textAt' | 'textSum'> {
  readonly columns: Buffer;
}

const blockWriter = (file: FileHandle, separator: Buffer) => {
  const written: WrittenBlock[] = [];
  let pieces: Buffer[] = [];
  let times: number[] = [];
  let ends: number[] = [];
  let books: number[] = [];
  let [textBytes, position, rowCount] = [0, 0, 0];

  const append = async (bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
    position += bytes.length;
  };
  return {
    get bytes() {
      return position + textBytes;
    },
    /** True if the block is complete. */
    add: ({ us, hasBook, text }: SlabRow): boolean => {
      textBytes += text.length + separator.length;
      pieces.push(text, separator);
      times.push(us);
      ends.push(textBytes);
      books.push(hasBook ? 1 : 0);
      return times.length >= blockRowsMax || textBytes >= blockTextMax;
    },
    write: async (): Promise<void> => {
      const [firstUs] = times;
      if (firstUs === undefined) return;
      const text = Buffer.concat(pieces);
      const columns = columnBytes(times, ends, books);
      written.push({ firstUs, firstRow: rowCount, textAt: position, textSum: crc32(text), columns });
      rowCount += times.length;
      [pieces, times, ends, books, textBytes] = [[], [], [], [], 0];
      await append(text);
    },
    /** Writes the columns and the footer. Returns the size of the file. */
    finish: async (key: SlabKey): Promise<number> => {
      const textEnd = position;
      await append(Buffer.alloc(alignedSize(textEnd) - textEnd));
      const blocks: Block[] = [];
      for (const { columns, ...block } of written) {
        blocks.push({ ...block, columnsAt: position, columnsSum: crc32(columns) });
        await append(columns);
      }
      const end = { firstUs: Infinity, firstRow: rowCount, textAt: textEnd, columnsAt: position };
      blocks.push({ ...end, textSum: 0, columnsSum: 0 });
      const footer = footerOf(key, blocks);
      const footerAt = position;
      await append(footer);
      await append(trailerOf(footer, footerAt, blocks.length));
      return position;
    },
  };
};

const columnBytes = (times: readonly number[], ends: readonly number[], books: readonly number[]): Buffer => {
  const memory = new ArrayBuffer(columnsSize(times.length));
  const columns = columnsIn(memory, 0, times.length);
  columns.us.set(times);
  columns.ends.set(ends);
  columns.hasBook.set(books);
  return Buffer.from(memory);
};
