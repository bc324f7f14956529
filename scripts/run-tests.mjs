// Runs test files with the current Node, prints a short report, and ends with `N passed, N failed`. It is a separate
// program because Node 24 exists only after the provisioning by scripts/test.mjs. It starts and stops the processes of the
// files itself: Node's runner lets a hanging file run forever.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runTestProcess, stopProcesses } from './test-process.mjs';
import { progressOn } from './test-progress.mjs';
import { runAll } from './test-schedule.mjs';

const outputCharactersMax = 20_000;
/** At most this many failed files are repeated alone. More failures are not chance. Decision 031. */
const repeatedFilesMax = 2;
/** A file that is unsteady in this many consecutive runs fails the last of them. */
const unsteadyRunsMax = 3;
/** The end of a run lists this many files that took longest. */
const slowestMax = 10;

/** Output of each file, its results, and results.json of the run. */
const logs = process.env.ALMANAC_TEST_LOGS ?? join(process.cwd(), '.almanac', 'test-logs');
/** The number of consecutive runs in which each file was unsteady: {file: runs}. */
const unsteadyFile = join(logs, '..', 'unsteady.json');
/**
 * The last outcome of each file, with the seconds and the processor seconds of all its runs:
 * {passed, failed, skipped: [{name, reason}], seconds, own, started}. `started` is that of the programs that it started.
 */
const outcomes = new Map();
const files = process.argv.slice(2);
const progress = progressOn(process.stdout, files.length);

/** Runs files in one process, and those that it did not reach in another one. */
const runFiles = async (group) => {
  const title = group.length === 1 ? group[0] : `${group[0]} and ${group.length - 1} more`;
  const log = join(logs, `${title.replace(/[^\w.-]/g, '_')}.log`);
  progress.begin(title);
  const ended = await runTestProcess(group, log);
  progress.end(title, ended.length);
  for (const outcome of ended) report(outcome, log);
  const others = group.slice(ended.length);
  if (others.length > 0) await runFiles(others);
};

/** Adds an outcome of a file to its others, and prints it. */
const report = ({ file, lines, usage, hang, broken }, log) => {
  const failures = lines.filter(({ kind }) => kind === 'failed');
  if (broken !== undefined) failures.push({ name: 'the file itself', reason: broken });
  const passed = lines.filter(({ kind }) => kind === 'passed').length;
  const skipped = lines.filter(({ kind }) => kind === 'skipped').map(({ name, reason }) => ({ name, reason }));
  const before = outcomes.get(file) ?? { seconds: 0, own: 0, started: 0 };
  const outcome = {
    passed,
    failed: failures.length,
    skipped,
    seconds: usage.seconds + before.seconds,
    own: usage.own + before.own,
    started: usage.started + before.started,
  };
  outcomes.set(file, outcome);
  progress.print(
    `${failures.length === 0 ? 'ok  ' : 'FAIL'} ${file}: ${counts(outcome)} (${usage.seconds.toFixed(1)} s)`,
  );
  for (const { kind, text } of lines) if (kind === 'remark') progress.print(`  ${text}`);
  if (hang !== undefined && broken === undefined) progress.print(`  Node did not end ${hang}, and was killed.`);
  for (const { name, reason } of failures) progress.print(`\n  FAIL ${name}\n${indent(reason)}`);
  const output = failures.length === 0 ? '' : readFileSync(log, 'utf8').slice(-outputCharactersMax).trim();
  if (output !== '') progress.print(`\n  Its output:\n${indent(output)}\n`);
};

const counts = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped.length === 0 ? '' : `, ${skipped.length} skipped`}`;

/** Files that failed first but passed when repeated alone. */
const repeatFailed = async () => {
  const failed = [...outcomes].filter(([, outcome]) => outcome.failed > 0).map(([file]) => file);
  if (failed.length === 0 || failed.length > repeatedFilesMax) return [];
  progress.print(`\nOnce more, alone: ${failed.join(', ')}`);
  for (const file of failed) await runFiles([file]);
  return failed.filter((file) => outcomes.get(file).failed === 0);
};

const indent = (text) => text.replace(/^/gm, '    ');

/** The sum of all outcomes, with every skipped test and its file. */
const total = () => {
  const sum = { passed: 0, failed: 0, skipped: [], own: 0, started: 0 };
  for (const [file, { passed, failed, skipped, own, started }] of outcomes) {
    sum.passed += passed;
    sum.failed += failed;
    sum.own += own;
    sum.started += started;
    sum.skipped.push(...skipped.map((test) => ({ file, ...test })));
  }
  return sum;
};

/** Updates the counts of consecutive unsteady runs. Returns the files that reached the limit. */
const countUnsteady = (unsteady) => {
  const before = existsSync(unsteadyFile) ? JSON.parse(readFileSync(unsteadyFile, 'utf8')) : {};
  const others = Object.entries(before).filter(([file]) => !outcomes.has(file));
  const now = unsteady.map((file) => [file, (before[file] ?? 0) + 1]);
  writeFileSync(unsteadyFile, JSON.stringify(Object.fromEntries([...others, ...now]), undefined, 2));
  return now.filter(([, runs]) => runs >= unsteadyRunsMax).map(([file]) => file);
};

/** All files with their seconds and processor seconds, the slowest first. */
const slowest = () =>
  Array.from(outcomes, ([file, { seconds, own, started }]) => ({ file, seconds, own, started })).toSorted(
    (one, other) => other.seconds - one.seconds,
  );

/** A run of few files needs no list. */
const slowestLines = (slow) => {
  if (outcomes.size <= slowestMax) return [];
  const lines = slow.slice(0, slowestMax).map(({ file, seconds, own, started }) => {
    const [all, test, programs] = [seconds, own, started].map((figure) => figure.toFixed(1).padStart(7));
    return `${all} s ${test} s ${programs} s  ${file}`;
  });
  return ['\nSlowest files: seconds, processor seconds of the test, and of the programs that it started', ...lines];
};

/** Prints slow files, the duration and the log folder, skipped tests with reasons, unsteady files, and the counts last. */
const summarize = (unsteady, seconds) => {
  const { own, started, ...sum } = total();
  const often = countUnsteady(unsteady);
  sum.failed += often.length;
  const slow = slowest();
  const results = { ...sum, unsteady, seconds, own, started, files: slow };
  writeFileSync(join(logs, 'results.json'), JSON.stringify(results, undefined, 2));
  const reasons = new Map();
  for (const { reason } of sum.skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const lines = slowestLines(slow);
  const used = `processor ${own.toFixed(0)} s and ${started.toFixed(0)} s in programs`;
  lines.push(
    `\n${files.length} files in ${seconds.toFixed(1)} s, ${used}. Logs: ${relative(process.cwd(), logs) || '.'}`,
  );
  for (const [reason, times] of reasons) lines.push(`SKIPPED ${times}: ${reason}`);
  for (const file of unsteady) lines.push(`UNSTEADY ${file}: failed as shown above, then passed alone. Find out why.`);
  for (const file of often) lines.push(`FAIL ${file}: unsteady in ${unsteadyRunsMax} runs in a row or more.`);
  progress.stop();
  console.log([...lines, counts(sum)].join('\n'));
  return sum;
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopProcesses();
    const sum = total();
    progress.stop();
    console.log(`Stopped by ${signal}.\n${counts({ ...sum, failed: sum.failed + 1 })}`);
    process.exit(1);
  });
}
const startedMs = performance.now();
rmSync(logs, { recursive: true, force: true });
mkdirSync(logs, { recursive: true });
await runAll(files, runFiles);
const flaky = await repeatFailed();
const { passed, failed } = summarize(flaky, (performance.now() - startedMs) / 1000);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
