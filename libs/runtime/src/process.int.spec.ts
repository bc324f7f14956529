import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startTestProcess } from './testing/test-start.js';

const start = (mode: string) => startTestProcess('test-process.js', { MODE: mode });

const messagesOf = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);

const get = async (port: unknown, path: string) => fetch(`http://127.0.0.1:${String(port)}${path}`);

describe('a process', () => {
  it('serves its health, and ends on SIGTERM in reverse order with code 0', async () => {
    const { child, line, ended, output } = start('well');
    const { health_port: port } = await line('"started"');
    assert.equal((await get(port, '/livez')).status, 200);
    const ready = await get(port, '/readyz');
    assert.deepEqual([ready.status, await ready.json()], [200, { ready: true, checks: { process: 'ok' } }]);
    assert.match(await (await get(port, '/metrics')).text(), /process_cpu/);
    assert.equal((await get(port, '/x')).status, 404);
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
    assert.deepEqual(messagesOf(output()), ['started', 'stopping', 'ended second', 'ended first']);
  });

  it('names its faults on /readyz, and logs them without a request', async () => {
    const { child, line, ended } = start('unwell');
    const { health_port: port } = await line('"started"');
    const ready = await get(port, '/readyz');
    assert.equal(ready.status, 503);
    assert.deepEqual(await ready.json(), {
      ready: false,
      checks: { process: 'ok', database: 'the database is unavailable' },
    });
    const logged = await line('a check fails');
    assert.deepEqual([logged['check'], logged['outcome']], ['database', 'the database is unavailable']);
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  });

  it('exits with 0 when it is stopped during its start', async () => {
    const { child, line, ended, output } = start('waits');
    await line('"waiting"');
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
    assert.ok(!output().includes('"fatal"'), output());
  });

  it('that cannot start stops what it started, says why in one line and exits with 1', async () => {
    const { ended, output } = start('fails');
    assert.equal(await ended, 1);
    const fatal = output()
      .split('\n')
      .filter((line) => line.includes('"fatal"'));
    assert.equal(fatal.length, 1);
    assert.match(fatal[0] ?? '', /the port is taken/);
    assert.deepEqual(messagesOf(output()).slice(-2), ['ended second', 'ended first']);
  });

  it('without its configuration exits with 1 and names what is missing', async () => {
    const { ended, errors } = start('');
    assert.equal(await ended, 1);
    assert.match(errors(), /^test: The configuration is not valid:\n {2}MODE: /);
  });

  for (const mode of ['rejects', 'throws']) {
    it(`ends in order with code 1 after an unhandled error (${mode})`, async () => {
      const { ended, output } = start(mode);
      assert.equal(await ended, 1);
      assert.match(output(), /unhandled error/);
      assert.deepEqual(messagesOf(output()).slice(-2), ['ended second', 'ended first']);
    });
  }

  it('continues its shutdown when one step fails', async () => {
    const { child, line, ended, output } = start('broken-stop');
    await line('"started"');
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
    assert.match(output(), /ended first/);
    assert.match(output(), /did not stop cleanly/);
  });

  // The shutdown limit is 10 s. Without it the process would run for ever.
  it('exits with its own code when a shutdown step hangs', { timeout: 100_000 }, async () => {
    const { child, line, ended } = start('hangs');
    await line('"started"');
    child.kill('SIGTERM');
    assert.equal(await ended, 1);
  });

  it('serves and ends as usual while its log is on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    const file = fileURLToPath(new URL('testing/test-process.js', import.meta.url));
    const env = { PATH: process.env['PATH'], NATS_USER: 'x', MODE: 'well' };
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', full, full, 'ipc'] });
    const exited = once(child, 'exit');
    closeSync(full);
    const [{ healthPort }] = z
      .tuple([z.object({ healthPort: z.int() })])
      .parse((await once(child, 'message')).slice(0, 1));
    assert.equal((await get(healthPort, '/readyz')).status, 200);
    assert.match(await (await get(healthPort, '/metrics')).text(), /^almanac_log_lines_dropped_total [1-9]/m);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });
});
