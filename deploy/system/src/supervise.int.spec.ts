import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LocalServerError, type RunningProcess, startProcess } from '@almanac/local';
import { eventually } from '@almanac/testing';
import { type Starter, supervise, type Supervisor } from './supervise.js';

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
        name: `The ${name} service`,
        command: process.execPath,
        args: ['-e', script],
        logFile: join(dir, `${name}.log`),
        isReady: async (pid) => {
          if (!started.includes(pid)) started.push(pid);
          if (stopping.aborted) throw new LocalServerError(`The ${name} service was ended.`);
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

  it('restart after a kill, and stop the system when they are killed repeatedly', async () => {
    const output: string[] = [];
    supervised = supervise(
      new Map([
        ['keys', program('keys')],
        ['other', program('other')],
      ]),
      (line) => output.push(line),
    );
    await supervised.startAll();
    const other = await pidOf(supervised, 'other');
    let pid = await pidOf(supervised, 'keys');
    for (let time = 1; time <= 3; time += 1) {
      process.kill(pid, 'SIGKILL');
      pid = await pidOf(supervised, 'keys', pid);
      assert.equal(output.length, time);
      assert.match(output.at(-1) ?? '', /The keys service was stopped by SIGKILL\.\nRestarting it\./);
    }
    process.kill(pid, 'SIGKILL');
    const { message } = await supervised.failed;
    assert.equal(
      message,
      'The keys service stopped unexpectedly 4 times within a minute. The keys service was stopped by SIGKILL.',
    );
    assert.equal(await pidOf(supervised, 'other'), other, 'the others run until they are stopped');
    await supervised.stop();
    allExited();
  });

  it('stay down after a deliberate kill until they are started', async () => {
    supervised = supervise(new Map([['keys', program('keys')]]), (line) => assert.fail(line));
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
    supervised = supervise(starters, (line) => assert.fail(line));
    await assert.rejects(
      supervised.startAll(),
      /The bad service ended with code 3. Its last lines:\n {2}no configuration/,
    );
    await supervised.stop();
    allExited();
  });

  it('stop with the system even while they restart', async () => {
    let ready = true;
    supervised = supervise(new Map([['keys', program('keys', { isReady: () => ready })]]), () => undefined);
    await supervised.startAll();
    const pid = await pidOf(supervised, 'keys');
    ready = false;
    const { length } = started;
    process.kill(pid, 'SIGKILL');
    await eventually(() => assert.ok(started.length > length));
    await supervised.stop();
    allExited();
  });
});
