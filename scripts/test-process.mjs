// Test files as a process: its start, its end, what it leaves, and why it hangs.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killTree } from './process-tree.mjs';

/** A file that takes longer hangs: the longest takes 3 minutes, and ten times as long on a machine that others use. */
const fileTimeoutMs = Number(process.env.ALMANAC_TEST_FILE_TIMEOUT_MS ?? 1_200_000);
/** A process that runs longer after Node's summary of its tests hangs. Timers and connections delay the summary. */
const endTimeoutMs = Number(process.env.ALMANAC_TEST_END_TIMEOUT_MS ?? 30_000);
/** A process whose last file has ended has something open, such as a server that a failed test left. Node has no summary of it. */
const openTimeoutMs = 4 * endTimeoutMs;
/** A hanging process gets this long to report what keeps it running. */
const reportMs = 5_000;
const pollMs = 500;

const reporter = fileURLToPath(new URL('test-reporter.mjs', import.meta.url));
const group = fileURLToPath(new URL('test-group.mjs', import.meta.url));
const running = new Set();

/** Kills all test processes, and every program that they started. */
export const stopProcesses = () => {
  for (const child of running) killTree(child.pid);
};

/**
 * Runs files one after the other in one process. `log` gets its output. Returns an outcome for each file that began: its
 * results as lines of the reporter, why it counts as broken although none of its tests failed, a hang that does not count, and
 * its {seconds, own, started}. After a file that ends the process, the others have none.
 */
export const runTestProcess = async (files, log) => {
  const paths = { log, results: log.replace(/\.log$/, '.jsonl'), usage: log.replace(/\.log$/, '.usage.json') };
  rmSync(paths.results, { force: true });
  rmSync(paths.usage, { force: true });
  const end = await runProcess(files, paths);
  const parts = linesByFile(readLines(paths.results), files);
  const usages = existsSync(paths.usage) ? JSON.parse(readFileSync(paths.usage, 'utf8')) : {};
  // Node ends with 1 after a failed test of any file.
  const last = { ...end, code: end.code === 1 && parts.flat().some(({ kind }) => kind === 'failed') ? 0 : end.code };
  return parts.map((lines, at) => {
    const outcome = { file: files[at], lines, usage: usages[files[at]] ?? { seconds: 0, own: 0, started: 0 } };
    const isLast = at === parts.length - 1;
    return { ...outcome, ...(isLast && { hang: end.hang }), broken: brokenReason(isLast ? last : whole, lines) };
  });
};

/** The end of a file that another one follows. */
const whole = { code: 0, signal: null };

/** The lines of each file, up to that in which the process ended. What follows all files belongs to the last. */
const linesByFile = (lines, files) => {
  const parts = [[]];
  for (const line of lines) {
    parts.at(-1).push(line);
    if (line.kind === 'file' && parts.length < files.length) parts.push([]);
  }
  return parts;
};

const runProcess = async (files, { log, results, usage }) => {
  const report = log.replace(/\.log$/, '.report.json');
  rmSync(report, { force: true });
  const reporting = ['--report-on-signal', '--report-exclude-env', `--report-filename=${report}`];
  const reporters = [`--test-reporter=${reporter}`, `--test-reporter-destination=${results}`];
  const args = ['--enable-source-maps', ...reporting, ...reporters, group, ...files];
  // Otherwise, in a test of this program, Node's runner would make the file report to it.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, ALMANAC_TEST_USAGE: usage };
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', output, output] });
  closeSync(output);
  running.add(child);
  const stopWatching = new AbortController();
  const hung = hangOf({ results, count: files.length, signal: stopWatching.signal }).then((hang) => {
    if (hang === undefined) return undefined;
    child.kill('SIGUSR2');
    setTimeout(() => killTree(child.pid), reportMs);
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

/** What a process did not do in time: end the tests of a file, or end itself after all. Undefined if it ends before. */
const hangOf = async ({ results, count, signal }) => {
  let [beganMs, filesEnded, endedMs] = [performance.now(), 0, Infinity];
  while (!signal.aborted) {
    const now = performance.now();
    if (now - endedMs >= endTimeoutMs) return `within ${endTimeoutMs / 1000} s after its tests`;
    if (filesEnded === count && now - beganMs >= openTimeoutMs)
      return `within ${openTimeoutMs / 1000} s after its tests`;
    if (now - beganMs >= fileTimeoutMs) return `within ${fileTimeoutMs / 1000} s`;
    const lines = readLines(results);
    const ended = lines.filter(({ kind }) => kind === 'file').length;
    if (ended > filesEnded) [beganMs, filesEnded] = [now, ended];
    if (endedMs === Infinity && lines.at(-1)?.kind === 'end') endedMs = now;
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

const results = ['passed', 'skipped', 'failed'];

/** Why a file counts as failed although none of its tests failed. */
const brokenReason = ({ code, signal, hang, open }, lines) => {
  const notes = lines.filter(({ kind }) => kind === 'note').map(({ text }) => `\n${text}`);
  if (hang !== undefined && hungInNode({ open }, lines)) return undefined;
  if (hang !== undefined)
    return `It did not end ${hang} and was killed. ${open ?? 'It did not report what keeps it running.'}`;
  if (signal !== null) return `It was ended by ${signal}.`;
  if (lines.some(({ kind }) => kind === 'failed')) return undefined;
  if (code !== 0) return `It ended with code ${code} though no test failed.${notes.join('')}`;
  if (!lines.some(({ kind }) => results.includes(kind))) return 'It holds no test, or ended before the first one did.';
  if (!lines.some(({ kind }) => kind === 'file')) return 'It ended before its tests did.';
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
