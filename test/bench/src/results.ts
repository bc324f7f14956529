import type { BenchRow, Measured, Threshold } from './row.js';
import type { BenchSize } from './size.js';

/** The figures of one row in results.json. */
export interface Result {
  readonly name: string;
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
  { name, against, threshold, unit }: BenchRow,
  { ours, reference, ratio }: Measured,
  { isMeasurement }: BenchSize,
): Result => ({
  name,
  against,
  ours: rounded(ours),
  reference: rounded(reference),
  ratio: Math.round(ratio * 1_000) / 1_000,
  threshold,
  unit,
  short:
    isMeasurement &&
    threshold !== null &&
    !('atLeast' in threshold ? ratio >= threshold.atLeast : ratio < threshold.below),
});

const rounded = (value: number): number => (value < 100 ? Math.round(value * 10) / 10 : Math.round(value));

const heads = ['what', 'against', 'ours', 'reference', 'ratio', 'owed', 'unit', ''];

/** The table as lines of text. A row that misses its threshold is marked. */
export const tableLines = (rows: readonly { row: BenchRow; result: Result }[]): string[] => {
  const cells = rows.map(({ row, result }) => [
    row.name,
    row.against,
    result.ours.toLocaleString('en'),
    result.reference.toLocaleString('en'),
    result.ratio.toFixed(2),
    thresholdText(row.threshold),
    row.unit,
    result.short ? 'short' : '',
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)));
  return [heads, ...cells].map((line) =>
    line
      .map((cell, column) => padded(cell, column, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

export const thresholdText = (threshold: Threshold | null): string => {
  if (threshold === null) return '';
  return 'atLeast' in threshold ? threshold.atLeast.toFixed(2) : `< ${threshold.below}`;
};

const numbers = new Set([2, 3, 4, 5]);
const padded = (cell: string, column: number, width: number): string =>
  numbers.has(column) ? cell.padStart(width) : cell.padEnd(width);
