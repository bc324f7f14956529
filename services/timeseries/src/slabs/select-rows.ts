import type { HasBook } from '../rows/archive-rows.js';
import type { RowsInfo } from '../rows/rows-bytes.js';
import type { RowsOfSlab, SlabFile, TextRange } from './slab-file.js';

export interface Selection {
  /** 0 selects every row, otherwise the last row of each step. */
  readonly stepUs: number;
  readonly limit: number;
}

/** The rows of a page: where their text is, and its length for each row. */
export interface SelectedRows extends RowsInfo, HasBook {
  readonly sources: readonly { readonly slab: SlabFile; readonly ranges: readonly TextRange[] }[];
  readonly textLengths: readonly number[];
}

/** Longer text is read in several pieces. */
const rangeBytesMax = 1_048_576;

/** Selects rows as the SQL in `rows-sql.ts` does. The parts are those of consecutive times, in their order. */
export const selectRows = (parts: readonly RowsOfSlab[], { stepUs, limit }: Selection): SelectedRows => {
  const page = pageOf(limit);
  const filled = parts.filter(({ us }) => us.length > 0);
  for (const [index, part] of filled.entries()) {
    if (stepUs === 0) page.addAll(part);
    else addLastOfSteps(part, filled[index + 1]?.us[0], { stepUs, add: page.add });
  }
  return { matched: filled.reduce((sum, { us }) => sum + us.length, 0), ...page.result() };
};

/** Steps are counted from the epoch. `nextUs` is the first row after the part. */
const addLastOfSteps = (
  part: RowsOfSlab,
  nextUs: number | undefined,
  { stepUs, add }: { stepUs: number; add: (part: RowsOfSlab, row: number) => void },
): void => {
  const { us } = part;
  const stepOf = (time: number | undefined): number => (time === undefined ? -1 : Math.floor(time / stepUs));
  let step = stepOf(us[0]);
  for (let row = 0; row < us.length; row += 1) {
    const nextStep = stepOf(row + 1 < us.length ? us[row + 1] : nextUs);
    if (nextStep !== step) add(part, row);
    step = nextStep;
  }
};

const pageOf = (limit: number) => {
  const sources: { slab: SlabFile; ranges: { start: number; end: number }[] }[] = [];
  const textLengths: number[] = [];
  let rowsBeforeLimit = 0;
  let lastUs: number | null = null;
  let hasBook = false;

  const addText = (slab: SlabFile, start: number, end: number): void => {
    let source = sources.at(-1);
    if (source?.slab !== slab) sources.push((source = { slab, ranges: [] }));
    const range = source.ranges.at(-1);
    if (range?.end === start && end - range.start <= rangeBytesMax) range.end = end;
    else source.ranges.push({ start, end });
    textLengths.push(end - start);
  };
  const add = (part: RowsOfSlab, row: number): void => {
    rowsBeforeLimit += 1;
    if (rowsBeforeLimit > limit) return;
    addText(part.slab, part.starts[row] ?? 0, part.ends[row] ?? 0);
    lastUs = part.us[row] ?? null;
    if (part.hasBook[row] === 1) hasBook = true;
  };
  return {
    add,
    addAll: (part: RowsOfSlab): void => {
      const count = Math.min(part.us.length, Math.max(0, limit - rowsBeforeLimit));
      for (let row = 0; row < count; row += 1) add(part, row);
      rowsBeforeLimit += part.us.length - count;
    },
    result: () => ({ sources, textLengths, rowsBeforeLimit, lastUs, hasBook }),
  };
};
