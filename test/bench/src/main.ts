import { constants } from 'node:os';
import { type BenchHarness, type ProcessMemory, withFolder, withHarness } from './harness.js';
import { DifferentAnswers } from './pairs.js';
import { resultOf, type Result, tableLines } from './results.js';
import type { BenchEntry, BenchFolder, Measured } from './row.js';
import { entriesOf } from './rows.js';
import { runResults, writeResults } from './run-results.js';
import { optionsOf, selectedOf } from './selection.js';

const print = (line: string): void => console.log(line);

/** A smoke run shares the machine with other tests, so what fails is tried again, as a file of tests is. */
const triesOf = ({ isMeasurement }: BenchFolder['size']): number => (isMeasurement ? 1 : 2);

/** What runs: only a folder if nothing more is needed. */
type Bench = BenchFolder | BenchHarness;

const measure = (bench: Bench, entry: BenchEntry): Promise<Measured> => {
  if (entry.isAlone === true) return entry.measure(bench);
  if ('system' in bench) return entry.measure(bench);
  throw new Error('no system runs');
};

const memoryOf = (bench: Bench): Promise<ProcessMemory[]> => ('system' in bench ? bench.memory() : Promise.resolve([]));

const measureOne = async (bench: Bench, entry: BenchEntry, signal: AbortSignal): Promise<Result> => {
  for (let triesLeft = triesOf(bench.size) - 1; ; triesLeft -= 1) {
    try {
      const startedAt = performance.now();
      const found = await measure(bench, entry);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      print(`${entry.name} (${seconds} s): ${found.notes.join('\n')}`);
      return resultOf(entry, found, bench.size);
    } catch (error) {
      if (triesLeft === 0 || signal.aborted || error instanceof DifferentAnswers) throw error;
      print(`UNSTEADY ${entry.name}, tried again: ${reasonOf(error)}`);
    }
  }
};

/** Measures in turn. Reports one that fails, and continues with the others. */
const measureAll = async (bench: Bench, entries: readonly BenchEntry[], signal: AbortSignal) => {
  const measured: { entry: BenchEntry; result: Result }[] = [];
  const failed: string[] = [];
  for (const entry of entries) {
    try {
      measured.push({ entry, result: await measureOne(bench, entry, signal) });
      // So that the output shows which one uses most.
      const used = (await memoryOf(bench)).filter(({ mostMb }) => mostMb > 0);
      print(used.map(({ name, nowMb, mostMb }) => `${name} ${nowMb}/${mostMb} MB`).join(', '));
    } catch (error) {
      const line = `${entry.name} FAILED: ${reasonOf(error)}`;
      failed.push(line);
      print(line);
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

const memoryLine = ({ name, nowMb, mostMb }: ProcessMemory): string =>
  `${name.padEnd(18)} ${String(nowMb).padStart(5)} MB now, ${String(mostMb).padStart(5)} MB at most`;

/** The text above the table of a smoke run. */
const noMeasurement = 'Smoke run: every row and profile once, on little data. These figures are no measurement.';

/** Exits with 1 when a row or profile failed, or when a strict one misses its threshold. */
const main = async (signal: AbortSignal): Promise<number> => {
  const { size, names, cpuProfiles } = optionsOf(process.argv.slice(2));
  const entries = selectedOf(entriesOf(size), { names, size });
  let hasFailed = false;
  const work = async (bench: Bench): Promise<void> => {
    const { measured, failed } = await measureAll(bench, entries, signal);
    hasFailed = failed.length > 0 || measured.some(({ entry, result }) => entry.strict === true && result.short);
    const memory = (await memoryOf(bench)).map(memoryLine);
    const above = size.isMeasurement ? [''] : ['', noMeasurement, ''];
    const results = measured.map(({ result }) => result);
    print([...above, ...tableLines(results), '', ...failed, ...memory].join('\n'));
    const isWhole = names.length === 0 && failed.length === 0;
    if (size.isMeasurement && isWhole) await writeResults(await runResults(results));
  };
  if (entries.every(({ isAlone }) => isAlone)) await withFolder(size, work);
  else await withHarness({ size, print, cpuProfiles, signal }, work);
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
