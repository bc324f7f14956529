import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalServerError, PortTakenError } from './errors.js';

/** Header with the process id of our HTTP servers, so that a starter recognises its child on the port. */
export const processHeader = 'x-almanac-process';

export interface ProcessOptions {
  /** Appears in error messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The child's port. If the child ends because the port is in use, the start rejects with a PortTakenError. */
  readonly port?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Gets stdout and stderr. The logs of the last five runs stay as `<logFile>.1`, the newest, to `<logFile>.5`. */
  readonly logFile: string;
  /**
   * Called until true, within about a second each. A text says what a process waits for that responds and is not ready.
   * Only a LocalServerError ends the start.
   */
  readonly isReady: (pid: number) => Promise<boolean | string>;
  /** Limit without any response of the process, default 15,000. A process that responds may wait longer. */
  readonly readyTimeoutMs?: number;
  /** Called with the text of `isReady` while the process waits. */
  readonly onWaiting?: (why: string) => void;
  /** How often `onWaiting` is called, default 30,000. */
  readonly waitingReportMs?: number;
  /** Ends a start that has not finished. */
  readonly stopping?: AbortSignal | undefined;
  /** From SIGTERM to SIGKILL, default 5,000. */
  readonly stopTimeoutMs?: number;
  /** The signal for the child when this process has ended for any reason. Default SIGKILL. */
  readonly orphanSignal?: 'SIGTERM' | 'SIGKILL';
}

export interface RunningProcess {
  readonly pid: number;
  /** Sends SIGTERM, and SIGKILL after the deadline. Resolves when the child has ended. Can be called again. */
  stop(): Promise<void>;
  /** Called once if the child ends without stop(), with one sentence and the last lines of the log. */
  onExit(listener: (reason: LocalServerError) => void): void;
}

/**
 * Starts a child and resolves when it is ready. It has its own process group, so that Ctrl-C reaches only this process,
 * which decides the order of stopping. The child never outlives this process.
 */
export const startProcess = async (options: ProcessOptions): Promise<RunningProcess> => {
  const child = await spawnGuarded(options);
  const exited = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new LocalServerError(`${options.name} could not be started.`);
  const unexpected = new EventEmitter<{ exit: [LocalServerError] }>();
  let reason: LocalServerError | undefined;
  let stopping = false;

  const stop = async (): Promise<void> => {
    stopping = true;
    if (!hasEnded(child)) await end(child, exited, options.stopTimeoutMs ?? 5_000);
  };
  const report = async (): Promise<void> => {
    await exited;
    if (stopping) return;
    reason = await endedReason(child, options);
    unexpected.emit('exit', reason);
  };
  try {
    await untilReady(child, pid, options);
  } catch (error) {
    await stop();
    throw error;
  }
  void report();
  const onExit: RunningProcess['onExit'] = (listener) => {
    if (reason === undefined) unexpected.once('exit', listener);
    else listener(reason);
  };
  return { pid, stop, onExit };
};

const spawnGuarded = async (options: ProcessOptions): Promise<ChildProcess> => {
  const signal = options.orphanSignal ?? 'SIGKILL';
  const setpriv = findSetpriv();
  const [command, args] =
    setpriv === undefined ? [options.command, [...options.args]] : [setpriv, setprivArgs(signal, options)];
  const log = await openLog(options.logFile);
  try {
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    await Promise.race([
      once(child, 'spawn'),
      once(child, 'error').then(([cause]) => {
        throw new LocalServerError(`${options.name} could not be started: ${String(cause)}`, { cause });
      }),
    ]);
    if (setpriv === undefined) guardWithPipe(child, signal);
    return child;
  } finally {
    await log.close();
  }
};

const oldLogs = 5;

/** Several, because each restart of a program that keeps failing begins a new log. */
const rotateLogs = async (logFile: string): Promise<void> => {
  for (let age = oldLogs - 1; age >= 0; age -= 1) {
    const path = age === 0 ? logFile : `${logFile}.${age}`;
    if (existsSync(path)) await rename(path, `${logFile}.${age + 1}`);
  }
};

const withoutSpace = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EROFS']);

/** On a full disk the process runs without a log. */
const openLog = async (path: string): Promise<FileHandle> => {
  try {
    await mkdir(dirname(path), { recursive: true });
    await rotateLogs(path);
    return await open(path, 'a', 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && withoutSpace.has(error.code))) throw error;
    return open('/dev/null', 'a');
  }
};

/**
 * The kernel sends the signal when the parent dies (prctl PR_SET_PDEATHSIG), and exec keeps that setting. The shell
 * covers the time before: if the parent died earlier, it is no longer the child's parent.
 */
const setprivArgs = (signal: string, options: ProcessOptions): string[] => [
  '--pdeathsig',
  signal.replace('SIG', ''),
  '--',
  '/bin/sh',
  '-c',
  '[ "$PPID" = "$0" ] || exit 1; exec "$@"',
  String(process.pid),
  options.command,
  ...options.args,
];

const findSetpriv = (): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'setpriv')).find((path) => existsSync(path));
};

/** Without setpriv: a shell reads a pipe that only this process holds open, and sends the signal when the pipe ends. */
const guardWithPipe = (child: ChildProcess, signal: string): void => {
  const script = `read -r _; kill -${signal.replace('SIG', '')} "$0" 2>/dev/null`;
  const guard = spawn('/bin/sh', ['-c', script, String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The guard must end before another process can get the child's id.
  child.once('exit', () => guard.kill('SIGKILL'));
  guard.unref();
};

const untilReady = async (child: ChildProcess, pid: number, options: ProcessOptions): Promise<void> => {
  const { name, logFile, readyTimeoutMs = 15_000, waitingReportMs = 30_000 } = options;
  const beganAt = performance.now();
  let [respondedAt, reportedAt] = [beganAt, beganAt];
  for (;;) {
    if (options.stopping?.aborted === true) throw new LocalServerError(`${name} was stopped before it was ready.`);
    if (hasEnded(child)) throw await endedReason(child, options);
    const outcome = await outcomeOf(pid, options);
    if (outcome === true) return;
    const now = performance.now();
    if (outcome !== false) {
      respondedAt = now;
      if (now - reportedAt >= waitingReportMs) {
        reportedAt = now;
        options.onWaiting?.(outcome);
      }
    } else if (now - respondedAt >= readyTimeoutMs) {
      throw new LocalServerError(
        `${name} did not respond within ${readyTimeoutMs / 1_000} s.${await logTail(logFile)}`,
      );
    }
    // Less often the longer it takes, because each check is work for the process.
    await pause(Math.min(500, 20 + (now - beganAt) / 50));
  }
};

const outcomeOf = async (pid: number, options: ProcessOptions): Promise<boolean | string> => {
  try {
    return await options.isReady(pid);
  } catch (error) {
    if (error instanceof LocalServerError) throw error;
    return false;
  }
};

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const end = async (child: ChildProcess, exited: Promise<unknown>, timeoutMs: number): Promise<void> => {
  child.kill('SIGTERM');
  const deadline = new AbortController();
  const timeout = pause(timeoutMs, true, { signal: deadline.signal }).catch(() => false);
  if (await Promise.race([exited.then(() => false), timeout])) child.kill('SIGKILL');
  deadline.abort();
  await exited;
};

const endedReason = async (child: ChildProcess, options: ProcessOptions): Promise<LocalServerError> => {
  const { name, port, logFile } = options;
  if (port !== undefined && /EADDRINUSE|address already in use/i.test(await logText(logFile))) {
    return new PortTakenError(port, name.replace(/^The /, 'the '));
  }
  const how = child.signalCode === null ? `ended with code ${child.exitCode}` : `was stopped by ${child.signalCode}`;
  return new LocalServerError(`${name} ${how}.${await logTail(logFile)}`);
};

const logTail = async (logFile: string): Promise<string> => {
  const lines = (await logText(logFile)).trimEnd().split('\n').slice(-5);
  return lines.join('') === '' ? '' : ` Its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`;
};

/** Empty if the log cannot be read (a removed folder, a full disk). The reason is still reported. */
const logText = (logFile: string): Promise<string> => readFile(logFile, 'utf8').catch(() => '');
