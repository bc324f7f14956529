import { markdownTable } from './results.js';
import type { RunResults } from './run-results.js';

/** docs/performance.md: the figures of one whole run. */
export const performancePage = ({ day, commit, machine, remark, rows }: RunResults): string => {
  const { cpu, cores, memoryGb, node } = machine;
  const short = rows.filter((row) => row.short).length;
  return [
    '# Performance',
    '',
    `One whole run of \`npm run bench\` on ${day}, of commit ${commit}, on ${cores} cores (${cpu}) with ${memoryGb} GB and Node ${node}.`,
    'Each row compares Almanac with a reference in the same run, and both give the same answer. [Benchmarks](benchmarks.md) says how.',
    `${rows.length - short} of ${rows.length} rows reach their target or have none. The others are marked \`short\`.`,
    ...(remark === undefined ? [] : ['', remark]),
    '',
    '![How many times each row reaches its target](images/performance.svg)',
    '',
    ...markdownTable(rows),
    '',
    '## What each row is good for',
    '',
    ...rows.map(({ name, gain = '' }) => `- **${name}:** ${gain}`),
    '',
  ].join('\n');
};
