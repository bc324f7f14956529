import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { connectBus, ensureStream, isPermissionViolation } from '@almanac/bus';
import { userNames } from '@almanac/contracts';
import { acceptsNatsClients, findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import { repository } from './repository.js';

const run = promisify(execFile);
const folder = join(repository, 'deploy', 'nats');
const passwordOf = (user: string): string => `password${user}`;
const env = {
  ...process.env,
  ...Object.fromEntries(userNames.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, passwordOf(user)])),
  NATS_CLUSTER_PASSWORD: 'passwordcluster',
  NATS_ROUTES: '[nats-route://route:passwordcluster@nats-0.nats:6222]',
  POD_NAME: 'nats-0',
};

describe('the NATS configuration of compose', () => {
  let dir = '';
  let url = '';
  let server: RunningProcess;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-nats-config-'));
    const [port, monitor] = [await freePort(), await freePort()];
    url = `nats://127.0.0.1:${port}`;
    await cp(folder, dir, { recursive: true });
    const file = join(dir, 'local.conf');
    const text = await readFile(file, 'utf8');
    assert.ok(text.includes('"/data"'));
    await writeFile(file, text.replace('"/data"', JSON.stringify(dir)));
    const here = ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitor)];
    server = await startProcess({
      name: 'nats-server',
      command: await findBinary('nats-server'),
      args: ['-c', file, ...here],
      env,
      logFile: join(dir, 'nats.log'),
      isReady: () => acceptsNatsClients(port, 'almanac'),
    });
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('accepts every user with its own password and with no other', async () => {
    for (const user of userNames) {
      const bus = await connectBus({ url, user, password: passwordOf(user) });
      await bus.close();
      await assert.rejects(connectBus({ url, user, password: passwordOf('other') }), /authorization violation/i);
    }
    await assert.rejects(connectBus({ url, user: 'gateway' }), /authorization violation/i);
  });

  it('limits a user to its own subjects', async () => {
    const keys = await connectBus({ url, user: 'keys', password: passwordOf('keys') });
    await ensureStream(keys, 'EVT_KEYS');
    await keys.js.publish('evt.keys.a', '{}');
    await assert.rejects(keys.js.publish('evt.commerce.a', '{}'), isPermissionViolation);
    await keys.close();
  });
});

describe('the NATS configuration of a cluster', () => {
  it('is valid, but for the one line that only 2.12 knows', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'almanac-nats-cluster-'));
    try {
      await cp(folder, dir, { recursive: true });
      const clusterConfig = await readFile(join(dir, 'cluster.conf'), 'utf8');
      const known = clusterConfig.replace(/^ *sync_interval: always\n/m, '');
      assert.notEqual(known, clusterConfig);
      await writeFile(join(dir, 'known.conf'), known);
      await run(await findBinary('nats-server'), ['-t', '-c', join(dir, 'known.conf')], { env, timeout: 60_000 });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
