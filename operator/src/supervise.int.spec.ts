import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalServerError, type RunningProcess, startProcess } from '@almanac/local-servers';
import { eventually } from '@almanac/testing';
import { restartDelayMs, type Starter, supervise, type Supervisor } from './supervise.js';

describe('supervised processes', () => {
  let dir = '';
  let supervised: Supervisor | undefined;
  const started: number[] = [];
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-supervise-'));
  });
  after(async () => {
    await supervised?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** A small program that runs until it is ended, or runs the given script. */
  const program =
    (name: string, { script = 'setInterval(() => {}, 1000)', isReady = (): boolean => true } = {}): Starter =>
    (stopping): Promise<RunningProcess> =>
      startProcess({
        stopping,
        name: `The ${name} service`,
        command: process.execPath,
        args: ['-e', script],
        logFile: join(dir, `${name}.log`),
        isReady: async (pid) => {
          if (!started.includes(pid)) started.push(pid);
          return Promise.resolve(isReady());
        },
      });
  const pidOf = (of: Supervisor, name: string, not = 0): Promise<number> =>
    eventually(() => {
      const pid = of.running.get(name)?.pid;
      assert.ok(pid !== undefined && pid !== not);
      return pid;
    });
  const allExited = () => {
    for (const pid of started) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, String(pid));
  };

  it('restart after every kill, later after each one, and leave the others alone', async () => {
    const output: string[] = [];
    supervised = supervise(
      new Map([
        ['keys', program('keys')],
        ['other', program('other')],
      ]),
      { print: (line) => output.push(line) },
    );
    await supervised.startAll();
    const other = await pidOf(supervised, 'other');
    let pid = await pidOf(supervised, 'keys');
    for (let time = 1; time <= 5; time += 1) {
      process.kill(pid, 'SIGKILL');
      pid = await pidOf(supervised, 'keys', pid);
      await eventually(() => assert.equal(output.length, 2 * time));
      assert.match(output.at(-2) ?? '', /^The keys service was stopped by SIGKILL\.\nRestarting it( in \d+\.\d s)?\.$/);
      assert.equal(output.at(-1), `Restarted keys (process ${pid}).`);
    }
    assert.equal(await pidOf(supervised, 'other'), other);
    await supervised.stop();
    allExited();
  });

  it('are tried again with the reason while they cannot start', async () => {
    const output: string[] = [];
    let broken = false;
    const starter = program('keys');
    supervised = supervise(
      new Map([
        ['keys', (stopping) => (broken ? Promise.reject(new LocalServerError('No disk.')) : starter(stopping))],
      ]),
      { print: (line) => output.push(line) },
    );
    await supervised.startAll();
    const pid = await pidOf(supervised, 'keys');
    broken = true;
    process.kill(pid, 'SIGKILL');
    await eventually(() =>
      assert.ok(output.filter((line) => line.startsWith('No disk.\nRestarting it in ')).length >= 3),
    );
    broken = false;
    await pidOf(supervised, 'keys', pid);
    await supervised.stop();
    allExited();
  });

  it('are ended and started again when they run but do not work', async () => {
    const output: string[] = [];
    supervised = supervise(new Map([['keys', program('keys')]]), { print: (line) => output.push(line) });
    await supervised.startAll();
    const first = await pidOf(supervised, 'keys');
    await supervised.restart('keys', 'The keys service hangs.');
    const second = await pidOf(supervised, 'keys', first);
    assert.throws(() => process.kill(first, 0), { code: 'ESRCH' });
    assert.deepEqual(output, ['The keys service hangs.\nRestarting it.', `Restarted keys (process ${second}).`]);
    await supervised.stop();
    allExited();
  });

  it('stay down after a deliberate kill until they are started', async () => {
    supervised = supervise(new Map([['keys', program('keys')]]), { print: (line) => assert.fail(line) });
    await supervised.startAll();
    const first = await pidOf(supervised, 'keys');
    await supervised.kill('keys');
    assert.equal(supervised.running.size, 0);
    assert.throws(() => process.kill(first, 0), { code: 'ESRCH' });
    await supervised.start('keys');
    assert.notEqual(await pidOf(supervised, 'keys'), first);
    await supervised.stop();
    allExited();
  });

  it('all stop when one of them cannot start, even those that are still starting', async () => {
    const starters = new Map([
      ['good', program('good')],
      ['slow', program('slow', { isReady: () => false })],
      [
        'bad',
        program('bad', { script: 'console.log("no configuration"); process.exitCode = 3', isReady: () => false }),
      ],
    ]);
    supervised = supervise(starters, { print: (line) => assert.fail(line) });
    await assert.rejects(
      supervised.startAll(),
      /The bad service ended with code 3. Its last lines:\n {2}no configuration/,
    );
    await supervised.stop();
    allExited();
  });

  it('stop with the system even while they restart', async () => {
    let ready = true;
    supervised = supervise(new Map([['keys', program('keys', { isReady: () => ready })]]), { print: () => undefined });
    await supervised.startAll();
    const pid = await pidOf(supervised, 'keys');
    ready = false;
    const { length } = started;
    process.kill(pid, 'SIGKILL');
    await eventually(() => assert.ok(started.length > length));
    await supervised.stop();
    allExited();
  });

  it('stop with the system even while they wait for a restart', async () => {
    const output: string[] = [];
    let broken = false;
    const starter = program('keys');
    supervised = supervise(
      new Map([
        ['keys', (stopping) => (broken ? Promise.reject(new LocalServerError('No disk.')) : starter(stopping))],
      ]),
      { print: (line) => output.push(line) },
    );
    await supervised.startAll();
    broken = true;
    process.kill(await pidOf(supervised, 'keys'), 'SIGKILL');
    await eventually(() => assert.ok(output.length >= 3));
    await supervised.stop();
    const { length } = output;
    allExited();
    assert.equal(supervised.running.size, 0);
    await delay(1_500);
    assert.equal(output.length, length, 'nothing is tried after the stop');
  });

  it('end with an interrupted start', async () => {
    const interrupt = new AbortController();
    supervised = supervise(new Map([['slow', program('slow', { isReady: () => false })]]), {
      print: (line) => assert.fail(line),
      signal: interrupt.signal,
    });
    const starting = supervised.startAll();
    const { length } = started;
    await eventually(() => assert.ok(started.length > length));
    interrupt.abort();
    await assert.rejects(starting, /The slow service was stopped before it was ready\./);
    await supervised.stop();
    allExited();
  });
});

describe('the wait before a restart', () => {
  it('is none at first, then doubles up to 30 s, and at least half of it passes', () => {
    const longest = [1, 2, 3, 4, 9, 10, 1_000].map((failures) => restartDelayMs(failures, 1));
    assert.deepEqual(longest, [0, 250, 500, 1_000, 30_000, 30_000, 30_000]);
    assert.equal(restartDelayMs(4, 0), 500);
  });
});
