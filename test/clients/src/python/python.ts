import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findBinary } from '@almanac/local-servers';

const folder = fileURLToPath(new URL('../../../../clients/python/', import.meta.url));
/** Where Python finds the client. */
export const pythonClient = `${folder}src`;

export type Python = ChildProcessByStdio<Writable, Readable, Readable>;
type Environment = Readonly<Record<string, string>>;

/** Starts Debian's Python in the folder of the client. */
export const startPython = async (args: readonly string[], variables: Environment = {}): Promise<Python> => {
  // Bytecode of another user or version must not lie in the checkout.
  const env = { PYTHONPATH: `${pythonClient}:${folder}tests`, PYTHONDONTWRITEBYTECODE: '1' };
  return spawn(await findBinary('python/python3'), args, {
    cwd: folder,
    env: { ...process.env, ...env, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 500_000,
  });
};

/** Runs a program to its end, and returns its output and exit code. */
export const runPython = async (
  args: readonly string[],
  variables: Environment = {},
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> => {
  const python = await startPython(args, variables);
  const exited = new Promise<number | null>((resolve, reject) => {
    python.once('error', reject).once('close', resolve);
  });
  python.stdin.end();
  const [output, errors, code] = await Promise.all([text(python.stdout), text(python.stderr), exited]);
  return { code, output, errors };
};

const inTerminal = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** Runs a command on a terminal of its own. */
export const runInTerminal = (command: readonly string[], variables: Environment): ReturnType<typeof runPython> =>
  runPython(['-c', inTerminal, ...command], variables);
