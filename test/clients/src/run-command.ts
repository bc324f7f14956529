import { spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '@almanac/cli/dist/run.js';

export const commandPath = fileURLToPath(new URL('../../../clients/cli/bin/almanac-data.js', import.meta.url));

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;
type Terminal = Parameters<typeof runCommandLine>[1];

const withoutLogin = (env: Environment): Record<string, string | undefined> => {
  const { ALMANAC_API_KEY: _key, ALMANAC_BASE_URL: _url, ...others } = process.env;
  return { ...others, ...env };
};

/**
 * Runs `almanac-data` in this process as it runs in a pipe, with these variables and no others of Almanac. `isTyped`: somebody types the
 * input at a terminal.
 */
export const runCommand = async (
  args: readonly string[],
  env: Environment,
  { input = '', isTyped = false }: { readonly input?: string; readonly isTyped?: boolean } = {},
): Promise<CommandOutcome> => {
  const terminal = { isTTY: isTyped };
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), terminal)];
  const stdin = Object.assign(Readable.from([input]), terminal);
  const streams = { stdin, stdout, stderr } as object as Omit<Terminal, 'env'>;
  const run = runCommandLine(args, { env: withoutLogin(env), ...streams }, new AbortController().signal);
  const ended = run.finally(() => [stdout, stderr].forEach((stream) => stream.end()));
  const [code, out, errors] = await Promise.all([ended, text(stdout), text(stderr)]);
  return { code, stdout: out, stderr: errors };
};

/** Runs `almanac-data` as a program in a pipe. */
export const runProgram = async (args: readonly string[], env: Environment): Promise<CommandOutcome> => {
  const command = spawn(process.execPath, [commandPath, ...args], {
    env: withoutLogin(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 240_000,
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    command.once('error', reject).once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(command.stdout), text(command.stderr), exited]);
  return { code, stdout, stderr };
};
