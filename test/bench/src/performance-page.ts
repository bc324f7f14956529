import { type Result, thresholdText } from './results.js';
import type { RunResults } from './run-results.js';

const heads = ['what', 'against', 'ours', 'reference', 'unit', 'ratio', 'target', ''] as const;
const numbers = new Set<string>(['ours', 'reference', 'ratio', 'target']);

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

/** A table as the formatter of this repository writes it. */
const markdownTable = (lines: readonly (readonly string[])[]): string[] => {
  const widths = heads.map((head, column) =>
    Math.max(3, head.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => pad(cell, column, widths[column] ?? 0)).join(' | ')} |`;
  const rule = heads.map((head, column) => {
    const width = widths[column] ?? 0;
    return numbers.has(head) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width);
  });
  return [lineOf(heads), `| ${rule.join(' | ')} |`, ...lines.map(lineOf)];
};

const pad = (cell: string, column: number, width: number): string =>
  numbers.has(heads[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);

/** docs/performance.md: the figures of one whole run. */
export const performancePage = ({ day, commit, machine, rows }: RunResults): string => {
  const { cpu, cores, memoryGb, node } = machine;
  const short = rows.filter((row) => row.short).length;
  return [
    '# Performance',
    '',
    `One whole run of \`npm run bench\` on ${day}, of commit ${commit}, on ${cores} cores (${cpu}) with ${memoryGb} GB and Node ${node}.`,
    'Each row compares Almanac with a reference in the same run, and both give the same answer. [Benchmarks](benchmarks.md) says how.',
    `${rows.length - short} of ${rows.length} rows reach their target or have none. The others are marked \`short\`.`,
    '',
    '![How many times each row reaches its target](images/performance.svg)',
    '',
    ...markdownTable(rows.map(cellsOf)),
    '',
  ].join('\n');
};
