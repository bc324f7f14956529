import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, freePort, startProcess } from '@almanac/local';

/** A Redis Cluster of one node. It owns no slots yet, and refuses a script with keys of two slots once it does. */
export const startRedisCluster = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  const dir = await mkdtemp(join(tmpdir(), 'almanac-test-redis-cluster-'));
  const [port, clusterPort] = [await freePort(), await freePort()];
  const options = {
    bind: '127.0.0.1',
    port,
    'cluster-enabled': 'yes',
    'cluster-port': clusterPort,
    dir,
    save: '',
    appendonly: 'no',
  };
  const running = await startProcess({
    name: 'redis-server',
    command: await findBinary('redis-server'),
    args: Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    logFile: join(dir, 'log'),
    isReady: () => accepts(port),
  });
  const stop = async (): Promise<void> => {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, stop };
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port, timeout: 1_000 });
    const end = (accepted: boolean) => () => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
