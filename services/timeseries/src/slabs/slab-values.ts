import { type BlockSource, type BlockRange, blocksOfWindow, countBelow, readVerified } from './slab-blocks.js';
import { type Block, columnsIn, type Values, valuesIn } from './slab-format.js';

/** Times and values of consecutive rows. */
export interface ValuesOfRows extends Values {
  readonly us: Float64Array;
}

/** Read at once: about 1 MB. A long window leaves room for other work between two of them. */
const blocksAtOnce = 128;

/** A slab without rows has the values of all its rows. */
export const hasValues = (blocks: readonly Block[]): boolean => {
  const [first, last] = [blocks[0], blocks.at(-1)];
  return blocks.length === 1 || (first !== undefined && last !== undefined && first.valuesAt < last.valuesAt);
};

/** The values of the rows in a window, and of the row before them if the slab has one, in pieces. */
export async function* valuesOf(
  source: BlockSource,
  window: { readonly startUs: number; readonly endUs: number },
): AsyncGenerator<ValuesOfRows, void, void> {
  const { from, to } = blocksOfWindow(source, window);
  for (let at = from; at < to; at += blocksAtOnce) {
    for (const block of await loadBlocks(source, { from: at, to: Math.min(to, at + blocksAtOnce) })) {
      yield cutTo(block, window);
    }
  }
}

const loadBlocks = async (source: BlockSource, range: BlockRange): Promise<readonly ValuesOfRows[]> => {
  const [columns, values] = await Promise.all([
    readVerified(source, 'columns', range),
    readVerified(source, 'values', range),
  ]);
  const first = source.blockAt(range.from);
  return Array.from({ length: range.to - range.from }, (_, index) => {
    const at = range.from + index;
    const block = source.blockAt(at);
    const rows = source.blockAt(at + 1).firstRow - block.firstRow;
    return {
      us: columnsIn(columns.buffer, block.columnsAt - first.columnsAt, rows).us,
      ...valuesIn(values.buffer, block.valuesAt - first.valuesAt, rows),
    };
  });
};

const cutTo = (
  { us, coin, bid, ask }: ValuesOfRows,
  { startUs, endUs }: { readonly startUs: number; readonly endUs: number },
): ValuesOfRows => {
  const usAt = (row: number): number => us[row] ?? Infinity;
  const from = Math.max(0, countBelow(us.length, usAt, startUs) - 1);
  const to = countBelow(us.length, usAt, endUs);
  const cut = <T extends Float64Array | Int32Array>(column: T): T => column.subarray(from, to) as T;
  return { us: cut(us), coin: cut(coin), bid: cut(bid), ask: cut(ask) };
};
