import { connectRedis, type Redis } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually, type TestServer } from '@almanac/testing';

/** A client that is connected. The caller disconnects it. */
export const connectTestRedis = async (
  server: Pick<TestServer, 'url'>,
  login: { REDIS_USER?: string; REDIS_PASSWORD?: string } = {},
): Promise<Redis> => {
  const runtime = { log: createLogger('test', 'silent'), health: createHealth() };
  const redis = connectRedis({ config: { REDIS_URL: server.url, ...login }, runtime, without: 'the test fails' });
  // Half a second is too short for a test on a busy machine.
  Object.assign(redis.options, { commandTimeout: 30_000 });
  try {
    await eventually(() => {
      if (redis.status !== 'ready') throw new Error(`Redis is ${redis.status}`);
    });
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
};

export const withRedis = async <T>(server: Pick<TestServer, 'url'>, work: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = await connectTestRedis(server);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
};
