// Runs test files with the current Node, prints a short report, and ends with `N passed, N failed`. It is a separate
// program because Node 24 exists only after the provisioning by scripts/test.mjs. Each file is a process that this
// program starts and stops: Node's runner lets a hanging file run forever.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { progressOn } from './test-progress.mjs';

/** A file that takes longer hangs: the longest takes about 3 minutes, where two cores are shared with others. */
const fileTimeoutMs = Number(process.env.ALMANAC_TEST_FILE_TIMEOUT_MS ?? 600_000);
/** A process that runs longer after Node's summary of its tests hangs. Timers and connections delay the summary. */
const endTimeoutMs = Number(process.env.ALMANAC_TEST_END_TIMEOUT_MS ?? 30_000);
/** A hanging process gets this long to report what keeps it running. */
const reportMs = 5_000;
const pollMs = 500;
const outputCharactersMax = 20_000;
/** At most this many failed files are repeated alone. More failures are not chance. Decision 031. */
const repeatedFilesMax = 2;
/** A file that is unsteady in this many consecutive runs fails the last of them. */
const unsteadyRunsMax = 3;
/** The end of a run lists this many files that took longest. */
const slowestMax = 10;

const reporter = fileURLToPath(new URL('test-reporter.mjs', import.meta.url));
/** Output of each file, its results, and results.json of the run. */
const logs = process.env.ALMANAC_TEST_LOGS ?? join(process.cwd(), '.almanac', 'test-logs');
/** The number of consecutive runs in which each file was unsteady: {file: runs}. */
const unsteadyFile = join(logs, '..', 'unsteady.json');
const running = new Set();
/** The last outcome of each file, with the seconds of all its runs: {passed, failed, skipped: [{name, reason}], seconds}. */
const outcomes = new Map();
const files = process.argv.slice(2);
const progress = progressOn(process.stdout, files.length);

/** Tests of the whole system or of a cluster use both cores. */
const isSystemTest = (file) =>
  /\.(e2e|containers)\./.test(file) || /^test\/.*\.(int|long)\./.test(file) || /-cluster\./.test(file);
/**
 * These measure memory, count what is lost while a process ends, build images or use both cores for minutes, so each runs
 * alone. Two others run at once: they often wait for another program, and no deadline of theirs is near what they take.
 */
const alone = [/^test\/e2e\/dist\/(bulk-snapshots|killed-services|chaos|rolling)\b/, /\.(containers|long)\./];
/** ClickHouse keeps a core busy. Tests without it mostly wait for a server or a timer, so one of these runs beside the others. */
const asksClickHouse = (file) => /^(libs\/clickhouse|services\/(catalog|export|ingest|timeseries))\//.test(file);
const runsAlone = (file) => alone.some((pattern) => pattern.test(file));

/** Runs the files of a queue until it is empty. Several calls may share a queue. */
const runQueue = async (waiting, concurrency) => {
  const runNext = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await runFile(file);
  };
  await Promise.all(Array.from({ length: concurrency }, runNext));
};

const runFile = async (file) => {
  const started = performance.now();
  const log = join(logs, `${file.replace(/[^\w.-]/g, '_')}.log`);
  const results = log.replace(/\.log$/, '.jsonl');
  progress.begin(file);
  const end = await runProcess(file, { log, results });
  progress.end(file);
  const lines = readLines(results);
  const failures = lines.filter(({ kind }) => kind === 'failed');
  const broken = brokenReason(end, lines, failures.length);
  if (broken !== undefined) failures.push({ name: 'the file itself', reason: broken });
  const passed = lines.filter(({ kind }) => kind === 'passed').length;
  const skipped = lines.filter(({ kind }) => kind === 'skipped').map(({ name, reason }) => ({ name, reason }));
  const seconds = (performance.now() - started) / 1000;
  const outcome = { passed, failed: failures.length, skipped, seconds: seconds + (outcomes.get(file)?.seconds ?? 0) };
  outcomes.set(file, outcome);
  progress.print(`${failures.length === 0 ? 'ok  ' : 'FAIL'} ${file}: ${counts(outcome)} (${seconds.toFixed(1)} s)`);
  if (end.hang !== undefined && broken === undefined) progress.print(`  Node did not end ${end.hang}, and was killed.`);
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
  await runQueue([...failed], 1);
  return failed.filter((file) => outcomes.get(file).failed === 0);
};

const runProcess = async (file, { log, results }) => {
  rmSync(results, { force: true });
  const report = log.replace(/\.log$/, '.report.json');
  rmSync(report, { force: true });
  const reporting = ['--report-on-signal', '--report-exclude-env', `--report-filename=${report}`];
  const reporters = [`--test-reporter=${reporter}`, `--test-reporter-destination=${results}`];
  const args = ['--enable-source-maps', ...reporting, ...reporters, file];
  // Otherwise, in a test of this program, Node's runner would make the file report to it.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', output, output] });
  closeSync(output);
  running.add(child);
  const stopWatching = new AbortController();
  const hung = hangOf({ results, signal: stopWatching.signal }).then((hang) => {
    if (hang === undefined) return undefined;
    child.kill('SIGUSR2');
    setTimeout(() => child.kill('SIGKILL'), reportMs);
    return hang;
  });
  const [code, signal] = await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (...end) => done(end));
  });
  stopWatching.abort();
  running.delete(child);
  const hang = await hung;
  return { code, signal, ...(hang && { hang, open: openHandles(report) }) };
};

/** What a process did not do in time: end its tests, or end itself after them. Undefined if it ends before. */
const hangOf = async ({ results, signal }) => {
  const startedMs = performance.now();
  let endedMs = Infinity;
  while (!signal.aborted) {
    const now = performance.now();
    if (now - startedMs >= fileTimeoutMs) return `within ${fileTimeoutMs / 1000} s`;
    if (now - endedMs >= endTimeoutMs) return `within ${endTimeoutMs / 1000} s after its tests`;
    if (endedMs === Infinity && readLines(results).at(-1)?.kind === 'end') endedMs = now;
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
};

/** What keeps a process running, from its report: timers, connections and child processes. Undefined without a report. */
const openHandles = (report) => {
  if (!existsSync(report)) return undefined;
  const { libuv } = JSON.parse(readFileSync(report, 'utf8'));
  const handles = libuv
    .filter((handle) => handle.is_active && handle.is_referenced)
    .map(({ type, pid, localEndpoint, remoteEndpoint, firesInMsFromNow }) => {
      if (pid !== undefined) return `${type} ${pid}`;
      if (firesInMsFromNow !== undefined) return `${type} in ${firesInMsFromNow} ms`;
      return [type, localEndpoint?.port, remoteEndpoint && `to ${remoteEndpoint.port}`].filter(Boolean).join(' ');
    });
  return handles.length === 0 ? 'Nothing keeps it running but its own work.' : `Open: ${handles.join(', ')}.`;
};

/** Why a file counts as failed although none of its tests failed. */
const brokenReason = ({ code, signal, hang, open }, lines, failures) => {
  const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => `\n${text}`);
  if (hang !== undefined && hungInNode({ open }, lines)) return undefined;
  if (hang !== undefined)
    return `It did not end ${hang} and was killed. ${open ?? 'It did not report what keeps it running.'}`;
  if (signal !== null) return `It was ended by ${signal}.`;
  if (failures > 0) return undefined;
  if (code !== 0) return `It ended with code ${code} though no test failed.${notes.join('')}`;
  if (!lines.some(({ kind }) => kind !== 'end')) return 'It holds no test, or ended before the first one did.';
  if (lines.at(-1).kind !== 'end') return 'It ended before its tests did.';
  return undefined;
};

/**
 * A process that has ended all its tests and cannot report any longer is in the end of Node itself, where V8's threads can wait
 * for each other for ever: https://github.com/nodejs/node/issues/54918. The tests are not to blame.
 */
const hungInNode = ({ open }, lines) => open === undefined && lines.at(-1)?.kind === 'end';

/** The last line of a killed process may be incomplete. */
const readLines = (path) => {
  try {
    const text = readFileSync(path, 'utf8');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};

const indent = (text) => text.replace(/^/gm, '    ');

/** The sum of all outcomes, with every skipped test and its file. */
const total = () => {
  const sum = { passed: 0, failed: 0, skipped: [] };
  for (const [file, { passed, failed, skipped }] of outcomes) {
    sum.passed += passed;
    sum.failed += failed;
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

/** The files that took longest, the slowest first. */
const slowest = () =>
  Array.from(outcomes, ([file, { seconds }]) => ({ file, seconds }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, slowestMax);

/** A run of few files needs no list. */
const slowestLines = (slow) => {
  if (outcomes.size <= slowestMax) return [];
  return ['\nSlowest files', ...slow.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)];
};

/** Prints slow files, the duration and the log folder, skipped tests with reasons, unsteady files, and the counts last. */
const summarize = (unsteady, seconds) => {
  const sum = total();
  const often = countUnsteady(unsteady);
  sum.failed += often.length;
  const slow = slowest();
  writeFileSync(join(logs, 'results.json'), JSON.stringify({ ...sum, unsteady, seconds, slowest: slow }, undefined, 2));
  const reasons = new Map();
  for (const { reason } of sum.skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const lines = slowestLines(slow);
  lines.push(`\n${files.length} files in ${seconds.toFixed(1)} s. Logs: ${relative(process.cwd(), logs) || '.'}`);
  for (const [reason, times] of reasons) lines.push(`SKIPPED ${times}: ${reason}`);
  for (const file of unsteady) lines.push(`UNSTEADY ${file}: failed as shown above, then passed alone. Find out why.`);
  for (const file of often) lines.push(`FAIL ${file}: unsteady in ${unsteadyRunsMax} runs in a row or more.`);
  progress.stop();
  console.log([...lines, counts(sum)].join('\n'));
  return sum;
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of running) child.kill('SIGKILL');
    const sum = total();
    progress.stop();
    console.log(`Stopped by ${signal}.\n${counts({ ...sum, failed: sum.failed + 1 })}`);
    process.exit(1);
  });
}
const started = performance.now();
rmSync(logs, { recursive: true, force: true });
mkdirSync(logs, { recursive: true });
const cores = availableParallelism();
const systemTests = files.filter(isSystemTest);
const otherTests = files.filter((file) => !isSystemTest(file));
const atOnce = Math.min(4, cores);
const withClickHouse = otherTests.filter(asksClickHouse);
const withoutClickHouse = otherTests.filter((file) => !asksClickHouse(file));
await Promise.all([
  runQueue(withClickHouse, atOnce).then(() => runQueue(withoutClickHouse, atOnce)),
  runQueue(withoutClickHouse, Math.max(1, atOnce - 1)),
]);
const inContainers = process.env.ALMANAC_TEST_SERVERS === 'containers';
await runQueue(
  systemTests.filter((file) => !runsAlone(file)),
  inContainers ? 1 : Math.min(2, cores),
);
await runQueue(systemTests.filter(runsAlone), 1);
const flaky = await repeatFailed();
const { passed, failed } = summarize(flaky, (performance.now() - started) / 1000);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
