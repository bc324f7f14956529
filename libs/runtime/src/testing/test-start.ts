import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly errors: () => string;
  readonly line: (text: string) => Promise<Record<string, unknown>>;
  readonly ended: Promise<number | null>;
}

/** Starts a process of this folder with only these variables. */
export const startTestProcess = (
  script: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Started => {
  const env = { PATH: process.env['PATH'], NATS_USER: 'x', ...variables };
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...args, file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (errors += String(data)));
  const ended = once(child, 'close').then(([code]: unknown[]) => (typeof code === 'number' ? code : null));
  const line = async (text: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = output.split('\n').find((one) => one.includes(text));
      if (found !== undefined) return JSON.parse(found) as Record<string, unknown>;
      await Promise.race([once(child.stdout, 'data'), ended.then(() => assert.fail(`no ${text} in ${output}`))]);
    }
  };
  return { child, output: () => output, errors: () => errors, line, ended };
};
