import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const commandPath = fileURLToPath(new URL('../../../clients/cli/bin/almanac-data.js', import.meta.url));

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `almanac-data` in a pipe, with these variables and no others of Almanac. */
export const runCommand = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandOutcome> => {
  const { ALMANAC_API_KEY: _key, ALMANAC_BASE_URL: _url, ...others } = process.env;
  const command = spawn(process.execPath, [commandPath, ...args], {
    env: { ...others, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 240_000,
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    command.once('error', reject).once('close', resolve);
  });
  command.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([text(command.stdout), text(command.stderr), exited]);
  return { code, stdout, stderr };
};
