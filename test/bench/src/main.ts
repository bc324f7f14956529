import { constants } from 'node:os';
import { isSelected, optionsOf } from './options.js';
import { DifferentAnswers } from './pairs.js';
import { resultOf, type Result, tableLines } from './results.js';
import type { BenchRow } from './row.js';
import { rowsOf } from './rows.js';
import { runResults, writeResults } from './run-results.js';
import { type ProcessMemory, withHarness, type BenchHarness } from './harness.js';

const print = (line: string): void => console.log(line);

/** A smoke run shares the machine with other tests, so a row that fails is tried again, as a file of tests is. */
const triesOf = ({ isMeasurement }: BenchHarness['size']): number => (isMeasurement ? 1 : 2);

const measureRow = async (harness: BenchHarness, row: BenchRow, signal: AbortSignal): Promise<Result> => {
  for (let triesLeft = triesOf(harness.size) - 1; ; triesLeft -= 1) {
    try {
      const startedAt = performance.now();
      const found = await row.measure(harness);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      print(`${row.name} (${seconds} s): ${found.notes.join('\n')}`);
      return resultOf(row, found, harness.size);
    } catch (error) {
      if (triesLeft === 0 || signal.aborted || error instanceof DifferentAnswers) throw error;
      print(`UNSTEADY ${row.name}, tried again: ${reasonOf(error)}`);
    }
  }
};

/** Measures the rows in turn. Reports a row that fails, and continues with the others. */
const measureAll = async (harness: BenchHarness, rows: readonly BenchRow[], signal: AbortSignal) => {
  const measured: { row: BenchRow; result: Result }[] = [];
  const failed: string[] = [];
  for (const row of rows) {
    try {
      measured.push({ row, result: await measureRow(harness, row, signal) });
      print(
        (await harness.memory())
          .filter(({ mostMb }) => mostMb > 0)
          .map(memoryOf)
          .join(', '),
      );
    } catch (error) {
      failed.push(`${row.name} FAILED: ${reasonOf(error)}`);
      print(failed.at(-1) ?? '');
    }
    signal.throwIfAborted();
  }
  return { measured, failed };
};

/** With its causes: `fetch` names a broken connection only there. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
};

/** The memory after each row, so that the output shows which row uses most. */
const memoryOf = ({ name, nowMb, mostMb }: ProcessMemory): string => `${name} ${nowMb}/${mostMb} MB`;

const memoryLine = ({ name, nowMb, mostMb }: ProcessMemory): string =>
  `${name.padEnd(18)} ${String(nowMb).padStart(5)} MB now, ${String(mostMb).padStart(5)} MB at most`;

/** The text above the table of a smoke run. */
const noMeasurement = 'Smoke run: every row once, on little data. These figures are no measurement.';

/**
 * The command `npm run bench -- [parts of names] [--smoke] [--profile FOLDER]`. Exits with 1 when a row failed, or when
 * a strict row misses its threshold.
 */
const main = async (signal: AbortSignal): Promise<number> => {
  const options = optionsOf(process.argv.slice(2));
  const { size, parts, profile } = options;
  const allRows = rowsOf(size);
  const selectedRows = allRows.filter((row) => isSelected(row, options));
  if (selectedRows.length === 0) {
    console.error(`No row's name holds ${parts.join(' or ')}. The rows are:`);
    for (const { name } of allRows) console.error(`  ${name}`);
    return 1;
  }
  let hasFailed = false;
  await withHarness({ size, print, profile, signal }, async (harness) => {
    const { measured, failed } = await measureAll(harness, selectedRows, signal);
    hasFailed = failed.length > 0 || measured.some(({ row, result }) => row.strict === true && result.short);
    const memory = (await harness.memory()).map(memoryLine);
    const above = size.isMeasurement ? [''] : ['', noMeasurement, ''];
    print([...above, ...tableLines(measured), '', ...failed, 'Memory', ...memory].join('\n'));
    const isWhole = parts.length === 0 && failed.length === 0;
    if (size.isMeasurement && isWhole) await writeResults(await runResults(measured.map(({ result }) => result)));
  });
  return hasFailed ? 1 : 0;
};

/** A signal ends the run after the current step, so that it can clean up. A second one ends it at once. */
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    print(`${name}: stopping after this step; a second one stops at once`);
    process.exitCode = 128 + constants.signals[name];
    interruption.abort();
  });
}

try {
  process.exitCode = await main(interruption.signal);
} catch (error) {
  if (!interruption.signal.aborted) throw error;
  // Ctrl-C also ends a worker that was just started, and fails the step.
  if (error !== interruption.signal.reason) console.error(error instanceof Error ? error.message : String(error));
}
// A child that hangs must not keep the command running.
process.exit();
