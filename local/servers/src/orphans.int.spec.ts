import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { findBinary } from './binaries.js';
import { startNats } from './nats.js';

const localUrl = new URL('./index.js', import.meta.url).href;

/** A separate parent for both servers: it prints their ports, and then only waits. */
const parentScript = `
  import { startNats, startRedis } from ${JSON.stringify(localUrl)};
  const dir = process.argv[1];
  const nats = await startNats({ dir: dir + '/nats' });
  const redis = await startRedis({ dir: dir + '/redis' });
  console.log(nats.port + ' ' + redis.port);
`;

describe('servers whose parent is killed with SIGKILL', () => {
  let dir = '';
  let binaries = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-orphans-'));
    binaries = dirname(await findBinary('nats-server'));
  });
  after(async () => rm(dir, { recursive: true, force: true }));

  it('end with it where the kernel signals the death of a parent', async () => {
    await assertServersEnd(await startParent(dir, process.env));
  });

  it('end with it where setpriv is missing', async () => {
    const withoutSetpriv = { ...process.env, ALMANAC_BIN: binaries, PATH: dir };
    await assertServersEnd(await startParent(dir, withoutSetpriv));
  });

  it('leave a folder on which the next server starts at once', async () => {
    const { parent } = await startParent(dir, process.env);
    parent.kill('SIGKILL');
    const next = await startNats({ dir: join(dir, 'nats') });
    await next.stop();
  });
});

interface Parent {
  readonly parent: ReturnType<typeof spawn>;
  readonly ports: readonly number[];
}

const startParent = async (dir: string, env: NodeJS.ProcessEnv): Promise<Parent> => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', parentScript, dir], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(parent.stdout)) return { parent, ports: line.split(' ').map(Number) };
  throw new Error('The parent printed no ports.');
};

const assertServersEnd = async ({ parent, ports }: Parent): Promise<void> => {
  assert.deepEqual(await Promise.all(ports.map(isOpen)), [true, true]);
  const exited = once(parent, 'exit');
  parent.kill('SIGKILL');
  await exited;
  const deadline = performance.now() + 60_000;
  while ((await Promise.all(ports.map(isOpen))).includes(true)) {
    assert.ok(performance.now() < deadline, 'a server outlives its parent');
    await pause(20);
  }
};

const isOpen = async (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
