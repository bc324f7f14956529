import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { poll } from '../api.js';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** Runs the script of `npm start` directly, so that signals reach it. */
export const npmStart = (home: string, port: number) => {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: repository,
    env: { ...process.env, ALMANAC_HOME: home, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (output += part.toString('utf8')));
  const exited = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    output: () => output,
    untilReady: () =>
      poll(
        async () => ({ output, ended: child.exitCode !== null }),
        (seen) => seen.ended || seen.output.includes('Ctrl-C stops everything'),
        { timeoutMs: 240_000 },
      ),
    gone: async () => {
      await exited;
      return child.exitCode;
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
};
export type NpmStart = ReturnType<typeof npmStart>;

interface StartedProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes below this one, read from /proc. */
export const startedProcesses = async (root: number): Promise<StartedProcess[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const read = (pid: number, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const all = await Promise.all(
    pids.map(async (pid) => {
      const [, parent = '0'] = /^PPid:\s*(\d+)$/m.exec(await read(pid, 'status')) ?? [];
      return { pid, parent: Number(parent), command: await read(pid, 'cmdline') };
    }),
  );
  const below = (of: number): StartedProcess[] =>
    all.filter(({ parent }) => parent === of).flatMap((child) => [child, ...below(child.pid)]);
  return below(root);
};
