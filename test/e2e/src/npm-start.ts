import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { poll } from './api.js';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

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
