import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LocalServerError, PortTakenError } from './errors.js';
import { startProcess, type ProcessOptions } from './process.js';

describe('a child process', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-process-'));
  });
  after(async () => rm(dir, { recursive: true, force: true }));

  const node = (script: string, options: Partial<ProcessOptions> = {}): ProcessOptions => ({
    name: 'a program',
    command: process.execPath,
    args: ['-e', script],
    logFile: join(dir, 'program.log'),
    isReady: async () => Promise.resolve(true),
    ...options,
  });

  const isListening = async (): Promise<boolean> =>
    (await readFile(join(dir, 'program.log'), 'utf8')) === 'listening\n';

  it('is reported with its exit code and last lines when it ends before it answers', async () => {
    const start = startProcess(
      node('console.log("no configuration"); process.exitCode = 3', { isReady: async () => Promise.resolve(false) }),
    );
    await assert.rejects(start, (error) => {
      assert.ok(error instanceof LocalServerError);
      assert.equal(error.message, 'a program ended with code 3. Its last lines:\n  no configuration');
      return true;
    });
  });

  it('is reported as a taken port when another program listens there, however long its log', async () => {
    const script = `require('node:http').createServer().listen(PORT, '127.0.0.1')`;
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    assert.ok(address !== null && typeof address === 'object');
    const { port } = address;
    const isReady = async () => Promise.resolve(false);
    const start = startProcess(node(script.replace('PORT', String(port)), { port, isReady }));
    await assert.rejects(start, (error) => error instanceof PortTakenError && error.port === port);
    blocker.close();
  });

  it('is ended and reported with its timeout when it never answers', async () => {
    const pids: number[] = [];
    const isReady = async (pid: number): Promise<boolean> => {
      pids.push(pid);
      return Promise.reject(new Error('connection refused'));
    };
    const start = startProcess(node('setInterval(() => {}, 1000)', { isReady, readyTimeoutMs: 300 }));
    await assert.rejects(start, { message: 'a program did not respond within 0.3 s.' });
    assert.throws(() => process.kill(pids[0] ?? 0, 0), { code: 'ESRCH' });
  });

  it('leaves the logs of its last five runs', async () => {
    const logFile = join(dir, 'runs.log');
    const isWritten = (text: string) => async () => (await readFile(logFile, 'utf8')) === text;
    for (let run = 1; run <= 7; run += 1) {
      const script = `console.log("run ${run}"); setInterval(() => {}, 1000)`;
      const child = await startProcess(node(script, { logFile, isReady: isWritten(`run ${run}\n`) }));
      await child.stop();
    }
    const names = (await readdir(dir)).filter((name) => name.startsWith('runs.log')).toSorted();
    const logs = await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')));
    assert.deepEqual(
      names.map((name, index) => [name, logs[index]]),
      [
        ['runs.log', 'run 7\n'],
        ['runs.log.1', 'run 6\n'],
        ['runs.log.2', 'run 5\n'],
        ['runs.log.3', 'run 4\n'],
        ['runs.log.4', 'run 3\n'],
        ['runs.log.5', 'run 2\n'],
      ],
    );
  });

  it('is reported once when it dies later, and not when it was stopped', async () => {
    const child = await startProcess(node('setInterval(() => {}, 1000)'));
    const reason = new Promise<LocalServerError>((resolve) => {
      child.onExit(resolve);
    });
    process.kill(child.pid, 'SIGKILL');
    assert.equal((await reason).message, 'a program was stopped by SIGKILL.');

    const stopped = await startProcess(node('setInterval(() => {}, 1000)'));
    stopped.onExit(() => assert.fail('stop() was taken for a death'));
    await stopped.stop();
    await stopped.stop();
  });

  it('is killed after the deadline when it ignores SIGTERM', async () => {
    const script = 'process.on("SIGTERM", () => {}); console.log("listening"); setInterval(() => {}, 1000)';
    const child = await startProcess(node(script, { isReady: isListening, stopTimeoutMs: 200 }));
    const started = performance.now();
    await child.stop();
    assert.ok(performance.now() - started >= 199);
    assert.throws(() => process.kill(child.pid, 0), { code: 'ESRCH' });
  });

  it('is reported in one sentence when its program is missing', async () => {
    const start = startProcess(
      node('', { command: join(dir, 'missing'), isReady: async () => Promise.resolve(false) }),
    );
    await assert.rejects(start, LocalServerError);
  });
});
