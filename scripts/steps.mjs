// Shared by all scripts: a step that prints its duration, and a child process whose output is captured.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as fs from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { progressOf } from './progress.mjs';

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** State on this machine. ALMANAC_HOME moves it. */
export const home = resolve(process.env.ALMANAC_HOME || join(repository, '.almanac'));
/** A user without a home folder, such as a service account, uses the checkout. */
export const hasUserHome = () => {
  try {
    fs.accessSync(process.env.HOME ?? '', fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
const userCache = () => {
  // A relative path is invalid there, and ignored.
  if (isAbsolute(process.env.XDG_CACHE_HOME ?? '')) return process.env.XDG_CACHE_HOME;
  return hasUserHome() ? join(process.env.HOME, '.cache') : join(repository, '.almanac', 'cache');
};
/** Programs that all homes and checkouts of the user share. `local/servers/src/binaries.ts` finds them here. */
export const programCache = join(userCache(), 'almanac');
export const binaries = join(programCache, 'bin');
/** The project's Node, independent of the machine's. Exists after the install. */
export const node24 = join(repository, 'node_modules', '.bin', 'node');

const { appendFileSync, mkdirSync } = fs;
export const logFile = join(home, 'provision.log');

/** An error that the user can fix. The message is one sentence, shown without a stack trace. */
export class StepError extends Error {}

/** The environment of all programs that run after the install. */
export const projectEnvironment = () => ({
  ...process.env,
  PATH: `${dirname(node24)}:${process.env.PATH}`,
  ALMANAC_HOME: home,
  ALMANAC_BIN: binaries,
});

/** Runs one step and prints its name, outcome and duration on one line. `work` gets a function that shows progress. */
export const step = async (name, work) => {
  const started = performance.now();
  const progress = progressOf(name);
  const outcome = await work(progress.show).finally(progress.clear);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${name}: ${outcome ?? 'done'} (${seconds} s)`);
};

/**
 * Runs a command and returns its output. Rejects with a StepError that names a known cause (disk, network, rights).
 * The complete output is in provision.log. `timeoutMs` is 10 minutes by default. `onLine` gets each line at once. With
 * `showOutput`, the output of a failed command is printed without the lines that match `hidden`.
 */
export const run = async (command, args, options = {}) => {
  const { what = command, cwd = repository, env = process.env, timeoutMs = 600_000 } = options;
  const { showOutput = false, hidden, onLine } = options;
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  // Kills the complete process group, because npx works in child processes: an old install must not continue beside
  // the next one.
  endWithUs(child, `-s KILL -- -${child.pid}`);
  let output = '';
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  if (onLine) createInterface({ input: child.stdout }).on('line', onLine);
  child.stderr.on('data', (chunk) => (output += chunk));
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    // Without an id, it never started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  const code = await new Promise((done, failed) => {
    child.once('error', (error) => failed(missingCommand(error, command, what)));
    child.once('close', done);
  }).finally(() => clearTimeout(timer));
  appendLog(`$ ${command} ${args.join(' ')}\n${output}\n`);
  if (timedOut) throw new StepError(`${what} did not end within ${timeoutMs / 1000} s.`);
  if (code === 0) return stdout;
  if (showOutput) {
    const lines = output.split('\n').filter((line) => hidden === undefined || !hidden.test(line));
    console.error(lines.join('\n').trimEnd());
    throw new StepError(`${what} failed. See the errors above.`);
  }
  throw new StepError(failureSentence(what, output));
};

const missingCommand = (error, command, what) =>
  error.code === 'ENOENT' ? new StepError(`${what} needs the command ${command}, which is not installed.`) : error;

const causes = [
  [/ENOSPC|No space left on device|not have enough free space/i, 'the disk is full; free some space and run it again'],
  [/EDQUOT|Disk quota exceeded/i, 'the disk quota is used up; free some space and run it again'],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|Temporary failure resolving|Could not (resolve|connect)|Cannot initiate the connection|Connection (refused|failed|timed out)|Network is unreachable|Unable to connect|error sending request|dns error|tcp connect error/i,
    'the network did not answer; check the connection (or the proxy settings) and run it again',
  ],
  [/EACCES|EROFS|Permission denied|Read-only file system/i, 'a file or folder may not be written; check who owns it'],
];

const failureSentence = (what, output) => {
  // pnpm wraps its sentences and draws lines between them.
  const flowing = output.replaceAll(/[\s│╰─▶]+/g, ' ');
  const cause = causes.find(([pattern]) => pattern.test(flowing));
  if (cause) return `${what} failed: ${cause[1]} (details in ${logFile}).`;
  const lines = output.trim().split('\n');
  const line = lines.find((text) => /^E: |\berror\b|ERR_/i.test(text)) ?? lines.at(-1) ?? '';
  return `${what} failed: ${line.trim().slice(0, 300)} (details in ${logFile}).`;
};

const systemSentence = (error) => {
  const cause = causes.find(([pattern]) => pattern.test(error.message));
  return `Preparing failed at ${error.path ?? error.syscall}: ${cause?.[1] ?? error.message}.`;
};

const appendLog = (text) => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    appendFileSync(logFile, text);
  } catch {
    // On a full disk, the error of the step matters, not that of its log.
  }
};

/** Runs a script. A StepError or a system error ends it with one sentence and exit code 1. */
export const main = async (work) => {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (error instanceof StepError) console.error(error.message);
    else if (typeof error?.syscall === 'string') console.error(systemSentence(error));
    else throw error;
    process.exitCode = 1;
  }
};

/**
 * A shell reads from a pipe that only this process holds open, and runs `kill` when the pipe closes. The child
 * therefore never outlives this process, not even after kill -9.
 */
export const endWithUs = (child, target) => {
  if (child.pid === undefined) return;
  const guard = spawn('/bin/sh', ['-c', `read -r _; kill ${target} 2>/dev/null`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.once('exit', () => guard.kill('SIGKILL'));
  guard.unref();
};

/** A terminal sends SIGINT to the whole group. A second one would interrupt the program's shutdown. */
const leaveToTerminal = () => undefined;

/** An npm that is killed with -9 forwards no signal. Its children then get another parent. */
const endWithNpm = (end) => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = npmProcess();
  const watch = setInterval(() => {
    if (npmProcess() === npm) return;
    clearInterval(watch);
    end();
  }, 500);
  watch.unref();
};

/** npm runs a script through a shell. Some shells stay as a process in between, others do not. */
const npmProcess = () => {
  try {
    const [, name, fields] = /\((.*)\) (.*)/s.exec(fs.readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    return /^(sh|dash|bash)$/.test(name) ? Number(fields.split(' ')[1]) : process.ppid;
  } catch {
    // There is no /proc, or the parent has just exited.
    return process.ppid;
  }
};

/** Runs a program in the foreground, forwards signals, and returns its exit code. */
export const foreground = async (command, args, env) => {
  const child = spawn(command, args, { cwd: repository, env, stdio: 'inherit' });
  endWithUs(child, `-s TERM -- ${child.pid}`);
  const forward = (signal) => child.kill(signal);
  process.on('SIGINT', process.stdin.isTTY ? leaveToTerminal : forward);
  process.on('SIGTERM', forward);
  process.on('SIGHUP', forward);
  endWithNpm(() => forward('SIGTERM'));
  const [code, signal] = await new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (...end) => done(end));
  });
  return signal === null ? code : 128 + (signal === 'SIGINT' ? 2 : signal === 'SIGTERM' ? 15 : 9);
};
