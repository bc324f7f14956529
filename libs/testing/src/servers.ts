import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, startRedis, type NatsUser, type RunningServer } from '@almanac/local';

/** A real server in a temporary folder; stop() ends it and removes the folder. */
export interface TestServer extends RunningServer {
  readonly dir: string;
}

/** nats-server with JetStream on a free port; without users everybody may do everything. */
export const testNats = async (options: { users?: readonly NatsUser[] } = {}): Promise<TestServer> =>
  inFolder('nats', async (dir) => startNats({ dir, ...options }));

/** redis-server on a free port, without a password. */
export const testRedis = async (): Promise<TestServer> => inFolder('redis', async (dir) => startRedis({ dir }));

const inFolder = async <T extends { stop(): Promise<void> }>(
  name: string,
  start: (dir: string) => Promise<T>,
): Promise<T & { dir: string }> => {
  const dir = await mkdtemp(join(tmpdir(), `almanac-test-${name}-`));
  const remove = async (): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const server = await start(dir);
    const stop = async (): Promise<void> => {
      try {
        await server.stop();
      } finally {
        await remove();
      }
    };
    return { ...server, dir, stop };
  } catch (error) {
    await remove();
    throw error;
  }
};
