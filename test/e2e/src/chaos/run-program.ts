import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

export interface RunningProgram {
  readonly output: () => string;
  /** The exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Starts `main` (import) or `capture-main` of ingest as a process, against the system of a home. */
export const runIngest = (
  program: 'main' | 'capture-main',
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): RunningProgram => {
  const path = join(repository, `services/ingest/dist/${program}.js`);
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [path, ...args], { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null));
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return { output: () => output, ended, kill: (signal) => void child.kill(signal) };
};
