import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface CommandEnd {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of operator/ on a home folder. */
export const runProgram = (
  name: 'almanac' | 'rebuild',
  args: readonly string[],
  { home, ...variables }: NodeJS.ProcessEnv & { readonly home: string },
): Promise<CommandEnd> =>
  new Promise((resolve) => {
    const program = fileURLToPath(new URL(`../../../operator/dist/${name}.js`, import.meta.url));
    const env = { ...process.env, ALMANAC_HOME: home, NATS_URL: '', CLICKHOUSE_URL: '', ...variables };
    execFile(process.execPath, [program, ...args], { env, timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

/** `npm run almanac` on a home folder. */
export const almanac = (home: string, ...args: string[]): Promise<CommandEnd> => runProgram('almanac', args, { home });
