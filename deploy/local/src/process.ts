import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
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
  /** Called every 20 ms until true, within about a second each. Only a LocalServerError ends the start. */
  readonly isReady: (pid: number) => Promise<boolean>;
  /** Default 15,000. */
  readonly readyTimeoutMs?: number;
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
  await mkdir(dirname(options.logFile), { recursive: true });
  await rotateLogs(options.logFile);
  const log = await open(options.logFile, 'a', 0o600);
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
  const timeoutMs = options.readyTimeoutMs ?? 15_000;
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (hasEnded(child)) throw await endedReason(child, options);
    if (await answers(pid, options)) return;
    await pause(20);
  }
  throw new LocalServerError(
    `${options.name} did not respond within ${timeoutMs / 1_000} s.${await logTail(options.logFile)}`,
  );
};

const answers = async (pid: number, options: ProcessOptions): Promise<boolean> => {
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
    return new PortTakenError(port, name);
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
