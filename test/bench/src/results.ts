import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Compared } from './pairs.js';
import type { BenchRow } from './row.js';

/** One row's figures as they stand in results.json. */
export interface Result {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  readonly owed: number | null;
  readonly unit: string;
}

export const resultOf = ({ name, owed, unit }: BenchRow, { ours, reference, ratio }: Compared): Result => ({
  name,
  ours: Math.round(ours),
  reference: Math.round(reference),
  ratio: Math.round(ratio * 1_000) / 1_000,
  owed,
  unit,
});

const heads = ['what', 'against', 'ours', 'reference', 'ratio', 'owed', 'unit', ''];

/** The table as lines of text; a row that falls short says so. */
export const tableLines = (rows: readonly { row: BenchRow; result: Result }[]): string[] => {
  const cells = rows.map(({ row, result }) => [
    row.name,
    row.against,
    result.ours.toLocaleString('en'),
    result.reference.toLocaleString('en'),
    result.ratio.toFixed(2),
    result.owed === null ? '' : result.owed.toFixed(2),
    row.unit,
    result.owed !== null && result.ratio < result.owed ? 'short' : '',
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)));
  return [heads, ...cells].map((line) =>
    line
      .map((cell, column) => padded(cell, column, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

const numbers = new Set([2, 3, 4, 5]);
const padded = (cell: string, column: number, width: number): string =>
  numbers.has(column) ? cell.padStart(width) : cell.padEnd(width);

const path = fileURLToPath(new URL('../results.json', import.meta.url));

export const writeResults = (results: readonly Result[]): Promise<void> =>
  writeFile(path, `${JSON.stringify(results, null, 2)}\n`);
