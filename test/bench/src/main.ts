import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { importRows } from './import.rows.js';
import { resultOf, type Result, tableLines, writeResults } from './results.js';
import type { BenchRow } from './row.js';
import { scalingRows } from './scaling.rows.js';
import { smallRows } from './small.rows.js';
import { snapshotsRows } from './snapshots.rows.js';
import { withWorld, type World } from './world.js';

const allRows: readonly BenchRow[] = [...snapshotsRows, ...smallRows, ...importRows, ...scalingRows];

const say = (line: string): void => console.log(line);

/** Measures the rows in turn. A row that cannot be measured is told, and the others go on. */
const measureAll = async (world: World, rows: readonly BenchRow[]) => {
  const measured: { row: BenchRow; result: Result }[] = [];
  const failed: string[] = [];
  for (const row of rows) {
    try {
      const compared = await row.measure(world);
      measured.push({ row, result: resultOf(row, compared) });
      say(`${row.name}: ${compared.ratios.map((ratio) => ratio.toFixed(2)).join(' ')}`);
    } catch (error) {
      failed.push(`${row.name} FAILED: ${error instanceof Error ? error.message : String(error)}`);
      say(failed.at(-1) ?? '');
    }
  }
  return { measured, failed };
};

/** The command `npm run bench -- [parts of names] [--profile FOLDER]`; 1 when a row could not be measured. */
const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { profile: { type: 'string' } } });
  const wanted = allRows.filter(
    ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
  );
  if (wanted.length === 0) {
    console.error(`No row's name holds ${positionals.join(' or ')}. The rows are:`);
    for (const { name } of allRows) console.error(`  ${name}`);
    return 1;
  }
  const profile = values.profile === undefined ? undefined : resolve(values.profile);
  let failures: readonly string[] = [];
  await withWorld({ say, profile }, async (world) => {
    const { measured, failed } = await measureAll(world, wanted);
    failures = failed;
    const memory = await world.memory();
    say(['', ...tableLines(measured), '', ...failed, 'Memory', ...memory].join('\n'));
    await writeResults(measured.map(({ result }) => result));
  });
  return failures.length === 0 ? 0 : 1;
};

process.exitCode = await main();
// A child that hangs must not keep the command from ending.
process.exit();
