import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { ClientsSystem } from '../clients-system.js';

const exampleMs = 300_000;

/** Runs a program in a folder, as the user of a new account. */
export const runExample = async (
  [command = '', ...args]: readonly string[],
  folder: string,
  clients: Pick<ClientsSystem, 'baseUrl' | 'key'>,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const login = { ALMANAC_BASE_URL: clients.baseUrl, ALMANAC_API_KEY: await clients.key('full_book') };
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...login, TMPDIR: folder, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: exampleMs,
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, output: out + errors };
};
