import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What curl got, its headers by their names in lower case. */
export interface CurlResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** The curl of this machine, in a folder of its own, without anybody's settings. */
export const startCurl = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-curl-'));
  const given = ['--disable', '--silent', '--show-error', '--max-time', '120'];
  return {
    folder,
    /** Rejects when curl says that it failed, which a refusal by HTTP is not. */
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
    /** Runs curl there and answers what it printed. */
    run: async (...args: readonly string[]): Promise<string> =>
      (await run('curl', [...given, ...args], { cwd: folder })).stdout,
    /**
     * Kills a download that has got some of its bytes, as a laptop that is closed does; answers how many. They go through a
     * pipe, which holds curl back: by itself it may be done before anybody looks, whatever rate it is told.
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
