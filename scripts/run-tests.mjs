// Runs test files under the Node that runs this, prints what a person needs, and ends with `N passed, N failed`.
// Its own program because Node 24 is there only after the provisioning that scripts/test.mjs does. Each file is a
// process that we start and end ourselves: Node's runner lets a file that hangs run for ever.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that takes longer hangs: the whole suite is meant to end within 15 minutes on two cores. */
const fileTimeoutMs = Number(process.env.ALMANAC_TEST_FILE_TIMEOUT_MS ?? 300_000);
const outputCharactersMax = 20_000;
/** So many failed files at most are run once more, alone: where more fail it is not chance. Decision 031. */
const repeatedFilesMax = 2;

const reporter = fileURLToPath(new URL('test-reporter.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'almanac-results-'));
const running = new Set();
/** The last outcome of each file: {passed, failed, skipped}. */
const outcomes = new Map();
const countOf = (kind) => [...outcomes.values()].reduce((sum, outcome) => sum + outcome[kind], 0);

/** Tests of the whole system use both cores and are judged by the clock, so each runs alone. */
const isSystemTest = (file) => file.startsWith('test/') || file.endsWith('.e2e.spec.js');

const runAll = async (files, concurrency) => {
  const waiting = [...files];
  const lane = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await runFile(file);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
};

const runFile = async (file) => {
  const started = performance.now();
  const results = join(folder, `${file.replace(/[^\w.-]/g, '_')}.jsonl`);
  const end = await runProcess(file, results);
  const lines = readLines(results);
  const failures = lines.filter(({ kind }) => kind === 'failed');
  const broken = brokenReason(end, lines, failures.length);
  if (broken !== undefined) failures.push({ name: 'the file itself', reason: broken });
  const passed = lines.filter(({ kind }) => kind === 'passed').length;
  const skipped = lines.filter(({ kind }) => kind === 'skipped').length;
  outcomes.set(file, { passed, failed: failures.length, skipped });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const sums = `${passed} passed, ${failures.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  console.log(`${failures.length === 0 ? 'ok  ' : 'FAIL'} ${file}: ${sums} (${seconds} s)`);
  for (const { name, reason } of failures) console.log(`\n  FAIL ${name}\n${indent(reason)}`);
  if (failures.length > 0 && end.output.trim() !== '') console.log(`\n  Its output:\n${indent(end.output.trim())}\n`);
};

/** Files that failed, but passed when they ran once more with nothing beside them. */
const repeatFailed = async () => {
  const failed = [...outcomes].filter(([, outcome]) => outcome.failed > 0).map(([file]) => file);
  if (failed.length === 0 || failed.length > repeatedFilesMax) return [];
  console.log(`\nOnce more, alone: ${failed.join(', ')}`);
  await runAll(failed, 1);
  return failed.filter((file) => outcomes.get(file).failed === 0);
};

const runProcess = async (file, results) => {
  const args = ['--enable-source-maps', `--test-reporter=${reporter}`, `--test-reporter-destination=${results}`, file];
  // Under a test of this very program Node's runner would have the file report to it instead.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  const keep = (chunk) => (output = (output + chunk).slice(-outputCharactersMax));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, fileTimeoutMs);
  // Not 'close': a process that the file left behind may hold the pipes open.
  const [code, signal] = await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (...end) => done(end));
  });
  clearTimeout(timer);
  running.delete(child);
  child.stdout.destroy();
  child.stderr.destroy();
  return { code, signal, late, output };
};

/** Why a file counts as failed although no test says so. */
const brokenReason = ({ code, signal, late }, lines, failures) => {
  const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => `\n${text}`);
  if (late) return `It did not end within ${fileTimeoutMs / 1000} s and was killed.`;
  if (signal !== null) return `It was ended by ${signal}.`;
  if (failures > 0) return undefined;
  if (code !== 0) return `It ended with code ${code} though no test failed.${notes.join('')}`;
  if (!lines.some(({ kind }) => kind !== 'end')) return 'It holds no test, or ended before the first one did.';
  if (lines.at(-1).kind !== 'end') return 'It ended before its tests did.';
  return undefined;
};

/** The last line of a killed process may be cut. */
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

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    console.log(`Stopped by ${signal}.\n${countOf('passed')} passed, ${countOf('failed') + 1} failed`);
    process.exit(1);
  });
}
const started = performance.now();
const files = process.argv.slice(2);
let unsteady = [];
try {
  await runAll(
    files.filter((file) => !isSystemTest(file)),
    Math.min(4, availableParallelism()),
  );
  await runAll(files.filter(isSystemTest), 1);
  unsteady = await repeatFailed();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${files.length} files in ${((performance.now() - started) / 1000).toFixed(1)} s`);
for (const file of unsteady) console.log(`UNSTEADY ${file}: failed, as told above, then passed alone. Find out why.`);
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map(countOf);
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
