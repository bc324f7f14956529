import { type FileHandle, open } from 'node:fs/promises';
import {
  type Block,
  blocksIn,
  type Columns,
  columnsIn,
  SlabFault,
  type SlabKey,
  trailerBytes,
  trailerIn,
} from './slab-format.js';
import {
  type BlockSource,
  blocksOfWindow,
  countBelow,
  readBytesMax,
  readExactly,
  readVerified,
} from './slab-blocks.js';
import { hasValues, type ValuesOfRows, valuesOf } from './slab-values.js';

/** The rows of a slab in a window. The text of row `n` is at `[starts[n], ends[n])` in the file, with its separator. */
export interface RowsOfSlab {
  readonly slab: SlabFile;
  readonly us: Float64Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly hasBook: Uint8Array;
}

/** An open slab. All reads throw `SlabFault` or an error of the file system. They need a call of `enter` before. */
export interface SlabFile {
  /** False if the file is closed. Otherwise it stays open until `leave`. */
  enter(): boolean;
  leave(): void;
  rows(window: { readonly startUs: number; readonly endUs: number }): Promise<RowsOfSlab>;
  /** Copies the text of the ranges, which are in order, back to back into `target`. */
  copyText(ranges: readonly TextRange[], target: Buffer, at: number): Promise<void>;
  /** Whether `values` can be called. */
  readonly hasValues: boolean;
  /** The values of the rows in a window, and of the row before them if the slab has one, in pieces. */
  values(window: { readonly startUs: number; readonly endUs: number }): AsyncIterable<ValuesOfRows>;
  /** Reads all blocks and verifies their checksums. */
  verify(): Promise<void>;
  /** Closes the file after the last reader has left. */
  close(): void;
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export const openSlab = async (path: string, key: SlabKey): Promise<SlabFile> => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size < trailerBytes) throw new SlabFault('it is too short');
    const trailer = trailerIn(await readExactly(file, size - trailerBytes, trailerBytes));
    if (trailer.footerAt + trailer.footerBytes + trailerBytes !== size) throw new SlabFault('it is cut');
    const footer = await readExactly(file, trailer.footerAt, trailer.footerBytes);
    return slabFile(file, blocksIn(footer, trailer, key));
  } catch (error) {
    await file.close();
    throw error;
  }
};

const slabFile = (file: FileHandle, blocks: readonly Block[]): SlabFile => {
  let [readers, isClosing] = [0, false];
  const blockAt = (at: number): Block => {
    const block = blocks[at];
    if (block === undefined) throw new SlabFault('it has too few blocks');
    return block;
  };
  const closeIfIdle = (): void => {
    if (isClosing && readers === 0) void file.close().catch(() => undefined);
  };
  const source: BlockSource = { file, blocks, blockAt };
  return {
    enter: () => {
      if (isClosing && readers === 0) return false;
      readers += 1;
      return true;
    },
    leave: () => {
      readers -= 1;
      closeIfIdle();
    },
    async rows(window) {
      return { slab: this, ...(await rowsIn(source, window)) };
    },
    hasValues: hasValues(blocks),
    values: (window) => valuesOf(source, window),
    copyText: (ranges, target, at) => copyText(source, ranges, { target, at }),
    verify: () => verifyAll(source),
    close: () => {
      if (isClosing) return;
      isClosing = true;
      closeIfIdle();
    },
  };
};

const rowsIn = async (
  source: BlockSource,
  { startUs, endUs }: { readonly startUs: number; readonly endUs: number },
): Promise<Omit<RowsOfSlab, 'slab'>> => {
  const { blockAt } = source;
  const { from, to } = blocksOfWindow(source, { startUs, endUs });
  const [first, end] = [blockAt(from), blockAt(to)];
  const rows = rowArrays(end.firstRow - first.firstRow);
  const bytes = await readVerified(source, 'columns', { from, to });
  for (let at = from; at < to; at += 1) {
    const block = blockAt(at);
    const count = blockAt(at + 1).firstRow - block.firstRow;
    addRows(rows, columnsIn(bytes.buffer, block.columnsAt - first.columnsAt, count), {
      row: block.firstRow - first.firstRow,
      textAt: block.textAt,
    });
  }
  const usAt = (row: number): number => rows.us[row] ?? Infinity;
  return cutTo(rows, countBelow(rows.us.length, usAt, startUs), countBelow(rows.us.length, usAt, endUs));
};

type RowArrays = Omit<RowsOfSlab, 'slab'>;

const rowArrays = (count: number): RowArrays => ({
  us: new Float64Array(count),
  starts: new Float64Array(count),
  ends: new Float64Array(count),
  hasBook: new Uint8Array(count),
});

const cutTo = ({ us, starts, ends, hasBook }: RowArrays, from: number, to: number): RowArrays => ({
  us: us.subarray(from, to),
  starts: starts.subarray(from, to),
  ends: ends.subarray(from, to),
  hasBook: hasBook.subarray(from, to),
});

const addRows = (rows: RowArrays, columns: Columns, { row, textAt }: { row: number; textAt: number }): void => {
  rows.us.set(columns.us, row);
  rows.hasBook.set(columns.hasBook, row);
  let start = textAt;
  for (let at = 0; at < columns.ends.length; at += 1) {
    rows.starts[row + at] = start;
    start = textAt + (columns.ends[at] ?? 0);
    rows.ends[row + at] = start;
  }
};

/** Reads whole blocks, since a checksum is of a whole block. */
const copyText = async (
  source: BlockSource,
  ranges: readonly TextRange[],
  { target, at }: { target: Buffer; at: number },
): Promise<void> => {
  const { blocks, blockAt } = source;
  const textAt = (index: number): number => blockAt(index).textAt;
  const blocksOf = ({ start, end }: TextRange) => ({
    from: countBelow(blocks.length, textAt, start + 1) - 1,
    to: countBelow(blocks.length, textAt, end),
  });
  let position = at;
  let [loadedFrom, loadedTo, loaded] = [0, 0, Buffer.alloc(0)];
  for (const [index, range] of ranges.entries()) {
    const { from, to } = blocksOf(range);
    if (from < loadedFrom || to > loadedTo) {
      loadedFrom = from;
      loadedTo = to;
      for (let next = index + 1; next < ranges.length; next += 1) {
        const more = blocksOf(ranges[next] ?? range);
        if (more.from > loadedTo || textAt(more.to) - textAt(from) > readBytesMax) break;
        loadedTo = Math.max(loadedTo, more.to);
      }
      loaded = await readVerified(source, 'text', { from: loadedFrom, to: loadedTo });
    }
    const base = textAt(loadedFrom);
    position += loaded.copy(target, position, range.start - base, range.end - base);
  }
};

/** In pieces, so that it takes little memory. */
const verifyAll = async (source: BlockSource): Promise<void> => {
  const { blocks, blockAt } = source;
  for (let from = 0; from < blocks.length - 1;) {
    const begin = blockAt(from).textAt;
    let to = from + 1;
    while (to < blocks.length - 1 && blockAt(to + 1).textAt - begin <= readBytesMax) to += 1;
    for (const section of ['text', 'columns', 'values'] as const) await readVerified(source, section, { from, to });
    from = to;
  }
};
