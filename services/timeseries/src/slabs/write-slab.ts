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
  noPrice,
  type RowValues,
  type SlabKey,
  trailerOf,
  valuesIn,
  valuesSize,
} from './slab-format.js';

/** A row of a slab: its time, its text, and its values if its slab may have them. */
export interface SlabRow {
  readonly us: number;
  readonly hasBook: boolean;
  readonly text: Buffer;
  readonly values?: RowValues;
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
  /** Empty if a row has none, or one that is too large for an exact number. */
  readonly values: Buffer;
}

const blockWriter = (file: FileHandle, separator: Buffer) => {
  const written: WrittenBlock[] = [];
  let rows: SlabRow[] = [];
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
    add: (row: SlabRow): boolean => {
      textBytes += row.text.length + separator.length;
      rows.push(row);
      return rows.length >= blockRowsMax || textBytes >= blockTextMax;
    },
    write: async (): Promise<void> => {
      const [first] = rows;
      if (first === undefined) return;
      const text = Buffer.concat(rows.flatMap((row) => [row.text, separator]));
      written.push({
        firstUs: first.us,
        firstRow: rowCount,
        textAt: position,
        textSum: crc32(text),
        columns: columnBytes(rows, separator.length),
        values: valueBytes(rows),
      });
      rowCount += rows.length;
      [rows, textBytes] = [[], 0];
      await append(text);
    },
    /** Writes the columns, the values and the footer. Returns the size of the file. */
    finish: async (key: SlabKey): Promise<number> => {
      const textEnd = position;
      await append(Buffer.alloc(alignedSize(textEnd) - textEnd));
      const parts = written.some(({ values }) => values.length === 0)
        ? written.map((block) => ({ ...block, values: Buffer.alloc(0) }))
        : written;
      const blocks = placedBlocks(parts, position, { firstRow: rowCount, textAt: textEnd });
      for (const { columns } of parts) await append(columns);
      for (const { values } of parts) await append(values);
      const footer = footerOf(key, blocks);
      const footerAt = position;
      await append(footer);
      await append(trailerOf(footer, footerAt, blocks.length));
      return position;
    },
  };
};

/** The blocks of the index, whose last entry is the end of all. Columns begin at `from`, and values follow them. */
const placedBlocks = (
  written: readonly WrittenBlock[],
  from: number,
  end: Pick<Block, 'firstRow' | 'textAt'>,
): readonly Block[] => {
  let columnsAt = from;
  let valuesAt = written.reduce((at, { columns }) => at + columns.length, from);
  const blocks = written.map(({ columns, values, ...block }): Block => {
    const placed = { ...block, columnsAt, valuesAt, columnsSum: crc32(columns), valuesSum: crc32(values) };
    columnsAt += columns.length;
    valuesAt += values.length;
    return placed;
  });
  const last = { ...end, firstUs: Infinity, columnsAt, valuesAt, textSum: 0, columnsSum: 0, valuesSum: 0 };
  return [...blocks, last];
};

const columnBytes = (rows: readonly SlabRow[], separatorBytes: number): Buffer => {
  const memory = new ArrayBuffer(columnsSize(rows.length));
  const { us, ends, hasBook } = columnsIn(memory, 0, rows.length);
  let end = 0;
  for (const [at, row] of rows.entries()) {
    end += row.text.length + separatorBytes;
    us[at] = row.us;
    ends[at] = end;
    hasBook[at] = row.hasBook ? 1 : 0;
  }
  return Buffer.from(memory);
};

const valueBytes = (rows: readonly SlabRow[]): Buffer => {
  const memory = new ArrayBuffer(valuesSize(rows.length));
  const { coin, bid, ask } = valuesIn(memory, 0, rows.length);
  for (const [at, { values }] of rows.entries()) {
    if (values === undefined || !isExact(values)) return Buffer.alloc(0);
    coin[at] = values.coin;
    bid[at] = Number.isNaN(values.bid) ? noPrice : values.bid;
    ask[at] = Number.isNaN(values.ask) ? noPrice : values.ask;
  }
  return Buffer.from(memory);
};

const isExact = ({ bid, ask, coin }: RowValues): boolean =>
  [bid, ask].every((units) => Number.isNaN(units) || Math.abs(units) < -noPrice) &&
  (Number.isNaN(coin) || Number.isSafeInteger(coin));
