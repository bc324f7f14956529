import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { poll } from './api.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** Runs the script of `npm start` directly, so that signals reach it. */
const start = (home: string, port: number) => {
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

describe('npm start', () => {
  let home = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-start-'));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  it('starts with a generated archive, and each line of its printed tour works', async () => {
    const system = start(home, 0);
    await system.untilReady();
    assert.ok(system.output().includes('generated markets'), system.output());
    const stdout = await runBash(tourOf(system.output()));
    for (const part of ['GENBTC15M', 'Generated', '"snapshots"', '"status":"pending"', '"status":"ready"', 'ticker']) {
      assert.ok(stdout.includes(part), `${part} is missing in:\n${stdout}`);
    }
    assert.ok(!stdout.includes('"detail"'), stdout);
    system.kill('SIGINT');
    assert.equal(await system.gone(), 0, system.output());
  });

  it('starts again after a kill -9, with the same key and archive', async () => {
    const first = start(home, 0);
    await first.untilReady();
    const key = await readFile(join(home, 'demo-key'), 'utf8');
    first.kill('SIGKILL');
    await first.gone();
    const second = start(home, 0);
    await second.untilReady();
    assert.ok(second.output().includes('Ctrl-C stops everything'), second.output());
    assert.ok(!second.output().includes('generated markets'), 'the archive was there already');
    assert.equal(await readFile(join(home, 'demo-key'), 'utf8'), key);
    second.kill('SIGTERM');
    assert.equal(await second.gone(), 0, second.output());
  });

  it('reports a taken port in one sentence', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const system = start(home, port);
      assert.equal(await system.gone(), 1);
      const [last = ''] = system.output().trimEnd().split('\n').slice(-1);
      assert.match(system.output(), new RegExp(`[Pp]ort ${port}`), last);
      assert.ok(!/\n\s+at .*\(.*:\d+:\d+\)/.test(system.output()), `a stack trace:\n${system.output()}`);
    } finally {
      squatter.close();
    }
  });
});

/** The commands of the printed tour. */
const tourOf = (output: string): string[] =>
  output
    .slice(output.indexOf('A tour'))
    .split('\n')
    .filter((line) => /^ {2}(\w+=|curl )/.test(line))
    .map((line) => line.trim());

/** Runs lines in one bash, as a person pastes them. Returns their output. */
const runBash = async (lines: readonly string[]): Promise<string> => {
  const script = lines.map((line) => `${line}\necho`).join('\n');
  const { stdout } = await run('bash', ['--norc', '-e', '-c', script], { timeout: 120_000 });
  return stdout;
};
