import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { booksRows } from './books.rows.js';
import { catalogueRows } from './catalogue.rows.js';
import { exportRows } from './exports.rows.js';
import { firstAsksRows } from './first-asks.rows.js';
import { importRows } from './import.rows.js';
import { memoryRows } from './memory.rows.js';
import { resultOf, type Result, tableLines, writeResults } from './results.js';
import type { BenchRow } from './row.js';
import { scalingRows } from './scaling.rows.js';
import { smallRows } from './small.rows.js';
import { snapshotsRows } from './snapshots.rows.js';
import { type ProcessMemory, withWorld, type World } from './world.js';

/** In this order: imports and exports add to the catalogue, and memory is told at the end. */
const allRows: readonly BenchRow[] = [
  ...snapshotsRows,
  ...catalogueRows,
  ...smallRows,
  ...firstAsksRows,
  ...importRows,
  ...booksRows,
  ...scalingRows,
  ...exportRows,
  ...memoryRows,
];

const say = (line: string): void => console.log(line);

/** Measures the rows in turn. A row that cannot be measured is told, and the others go on. */
const measureAll = async (world: World, rows: readonly BenchRow[]) => {
  const measured: { row: BenchRow; result: Result }[] = [];
  const failed: string[] = [];
  for (const row of rows) {
    try {
      const startedAt = performance.now();
      const found = await row.measure(world);
      measured.push({ row, result: resultOf(row, found) });
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      say(`${row.name} (${seconds} s): ${found.told.join('\n')}`);
      say(
        (await world.memory())
          .filter(({ mostMb }) => mostMb > 0)
          .map(memoryOf)
          .join(', '),
      );
    } catch (error) {
      failed.push(`${row.name} FAILED: ${error instanceof Error ? error.message : String(error)}`);
      say(failed.at(-1) ?? '');
    }
  }
  return { measured, failed };
};

/** After each row, so that the row which takes most can be told. */
const memoryOf = ({ name, nowMb, mostMb }: ProcessMemory): string => `${name} ${nowMb}/${mostMb} MB`;

const memoryLine = ({ name, nowMb, mostMb }: ProcessMemory): string =>
  `${name.padEnd(18)} ${String(nowMb).padStart(5)} MB now, ${String(mostMb).padStart(5)} MB at most`;

/**
 * The command `npm run bench -- [parts of names] [--profile FOLDER]`; 1 when a row could not be measured, or one falls
 * short that must not.
 */
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
  let hasFailed = false;
  await withWorld({ say, profile }, async (world) => {
    const { measured, failed } = await measureAll(world, wanted);
    hasFailed = failed.length > 0 || measured.some(({ row, result }) => row.strict === true && result.short);
    const memory = (await world.memory()).map(memoryLine);
    say(['', ...tableLines(measured), '', ...failed, 'Memory', ...memory].join('\n'));
    await writeResults(measured.map(({ result }) => result));
  });
  return hasFailed ? 1 : 0;
};

process.exitCode = await main();
// A child that hangs must not keep the command from ending.
process.exit();
