import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The result of curl, with header names in lower case. */
export interface CurlResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** The curl of this machine, in a separate folder and without a user configuration. */
export const startCurl = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-curl-'));
  const given = ['--disable', '--silent', '--show-error', '--max-time', '120'];
  return {
    folder,
    /** Rejects when curl fails. An HTTP error status is no failure. */
    request: async (...args: readonly string[]): Promise<CurlResult> => {
      const body = join(folder, 'body');
      const { stdout } = await run('curl', [...given, '--dump-header', '-', '--output', body, ...args]);
      const [line = '', ...lines] = stdout.trim().split('\r\n');
      const headers = lines.map((one) => /^([^:]+):\s*(.*)$/.exec(one)?.slice(1) ?? ['', '']);
      const bytes = await readFile(body).catch(() => Buffer.alloc(0));
      await rm(body, { force: true });
      const named = headers.map(([name = '', value = '']) => [name.toLowerCase(), value] as const);
      return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(named), bytes };
    },
    /** Runs curl there and returns its output. */
    run: async (...args: readonly string[]): Promise<string> =>
      (await run('curl', [...given, ...args], { cwd: folder })).stdout,
    /**
     * Kills a download after some of its bytes, as when a laptop is closed. Returns their number. The bytes go through
     * a pipe, which slows curl down: otherwise it may finish first, whatever rate limit it has.
     */
    breakOff: async (file: string, ...args: readonly string[]): Promise<number> => {
      const child = spawn('curl', [...given, '--output', '-', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
      const exited = once(child, 'exit');
      const firstOutput: readonly unknown[] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) });
      const bytes = firstOutput[0];
      child.kill('SIGKILL');
      await exited;
      if (!Buffer.isBuffer(bytes)) throw new TypeError('a pipe gives bytes');
      await writeFile(join(folder, file), bytes);
      return bytes.length;
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
};
export type Curl = Awaited<ReturnType<typeof startCurl>>;
