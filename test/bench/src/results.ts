import { type BenchEntry, isRow, type Measured, type Threshold } from './row.js';
import type { BenchSize } from './size.js';

/** The figures of one row or profile. Those of rows are in results.json. */
export interface Result {
  readonly name: string;
  /** Only a row has one. */
  readonly gain?: string;
  readonly against: string;
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  readonly threshold: Threshold | null;
  readonly unit: string;
  /** Whether the ratio misses its threshold. False in a smoke run. */
  readonly short: boolean;
}

export const resultOf = (
  entry: BenchEntry,
  { ours, reference, ratio }: Measured,
  { isMeasurement }: Pick<BenchSize, 'isMeasurement'>,
): Result => {
  const { name, against, threshold, unit } = entry;
  return {
    name,
    ...(isRow(entry) && { gain: entry.gain }),
    against,
    ours: rounded(ours),
    reference: rounded(reference),
    ratio: Math.round(ratio * 1_000) / 1_000,
    threshold,
    unit,
    short: isMeasurement && threshold !== null && !isReached(ratio, threshold),
  };
};

const isReached = (ratio: number, threshold: Threshold): boolean =>
  'atLeast' in threshold ? ratio >= threshold.atLeast : ratio < threshold.below;

const rounded = (value: number): number => (value < 100 ? Math.round(value * 10) / 10 : Math.round(value));

const heads = ['what', 'against', 'ours', 'reference', 'unit', 'ratio', 'target', ''];
const numbers = new Set([2, 3, 5, 6]);

const cellsOf = ({ name, against, ours, reference, unit, ratio, threshold, short }: Result): string[] => [
  name,
  against,
  ours.toLocaleString('en'),
  reference.toLocaleString('en'),
  unit,
  ratio.toFixed(2),
  thresholdText(threshold),
  short ? 'short' : '',
];

const thresholdText = (threshold: Threshold | null): string => {
  if (threshold === null) return '';
  return 'atLeast' in threshold ? threshold.atLeast.toFixed(2) : `< ${threshold.below}`;
};

/** The heads and a line for each result, with cells of equal width. A result that misses its threshold is marked. */
const alignedCells = (results: readonly Result[], widthMin: number): string[][] => {
  const lines = [heads, ...results.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(widthMin, ...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) =>
    cells.map((cell, column) =>
      numbers.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    ),
  );
};

/** The table as lines of text. */
export const tableLines = (results: readonly Result[]): string[] =>
  alignedCells(results, 0).map((cells) => cells.join('  ').trimEnd());

/** The table as the formatter of this repository writes it. */
export const markdownTable = (results: readonly Result[]): string[] => {
  const [head = [], ...lines] = alignedCells(results, 3);
  const rule = head.map(({ length }, column) =>
    numbers.has(column) ? `${'-'.repeat(length - 1)}:` : '-'.repeat(length),
  );
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`);
};
