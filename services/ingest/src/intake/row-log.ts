import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** A log of rows by market, time and digest of the values. It is on disk after its first rows. */
export interface RowLog {
  add(market: number, us: number, values: number): void;
  /** Visits the rows in the order in which they were added, and at least those from `fromUs` to `toUs`. */
  scan(fromUs: number, toUs: number, visit: (market: number, us: number, values: number) => void): void;
  close(): void;
}

const fieldsPerRow = 3;
const blockRows = 8_192;
const blockNumbers = blockRows * fieldsPerRow;
const blockBytes = blockNumbers * Float64Array.BYTES_PER_ELEMENT;
/** 3 MB: an import of fewer than 131,072 rows writes nothing to disk. */
const blocksInMemory = 16;

interface Block {
  readonly minUs: number;
  readonly maxUs: number;
  /** Null if the block is on disk. */
  readonly numbers: Float64Array | null;
}

/** `folder` is created when the first block goes to disk. */
export const rowLog = (folder: string): RowLog => {
  const blocks: Block[] = [];
  const readBuffer = new Float64Array(blockNumbers);
  let open = new Float64Array(blockNumbers);
  let used = 0;
  let minUs = Infinity;
  let maxUs = -Infinity;
  let file: number | null = null;

  const write = (numbers: Float64Array): void => {
    file ??= openUnnamed(folder);
    const position = (blocks.length - blocksInMemory) * blockBytes;
    writeSync(file, numbers, 0, blockBytes, position);
  };
  const read = (index: number): Float64Array => {
    const { numbers = null } = blocks[index] ?? {};
    if (numbers !== null) return numbers;
    if (file === null) throw new Error('the row log is closed');
    const bytes = readSync(file, readBuffer, 0, blockBytes, (index - blocksInMemory) * blockBytes);
    if (bytes !== blockBytes) throw new Error(`a block of the row log has ${bytes} of ${blockBytes} bytes`);
    return readBuffer;
  };
  const endBlock = (): void => {
    const stays = blocks.length < blocksInMemory;
    if (!stays) write(open);
    blocks.push({ minUs, maxUs, numbers: stays ? open : null });
    if (stays) open = new Float64Array(blockNumbers);
    used = 0;
    minUs = Infinity;
    maxUs = -Infinity;
  };
  return {
    add: (market, us, values) => {
      open[used] = market;
      open[used + 1] = us;
      open[used + 2] = values;
      used += fieldsPerRow;
      if (us < minUs) minUs = us;
      if (us > maxUs) maxUs = us;
      if (used === blockNumbers) endBlock();
    },
    scan: (fromUs, toUs, visit) => {
      for (const [index, block] of blocks.entries())
        if (block.maxUs >= fromUs && block.minUs <= toUs) visitRows(read(index), blockNumbers, visit);
      if (maxUs >= fromUs && minUs <= toUs) visitRows(open, used, visit);
    },
    close: () => {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
};

const visitRows = (numbers: Float64Array, used: number, visit: Parameters<RowLog['scan']>[2]): void => {
  for (let at = 0; at < used; at += fieldsPerRow)
    visit(numbers[at] ?? NaN, numbers[at + 1] ?? NaN, numbers[at + 2] ?? NaN);
};

/** The name is removed at once, so that a killed import leaves no file. */
const openUnnamed = (folder: string): number => {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `rows-${randomUUID()}.tmp`);
  const file = openSync(path, 'wx+');
  rmSync(path);
  return file;
};
