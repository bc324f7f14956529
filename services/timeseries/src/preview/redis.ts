import type { Runtime } from '@almanac/runtime';
import { Redis } from 'ioredis';

const commandMs = 500;

/**
 * A connection for what may be lost: a command fails at once while Redis is away, and the service goes on without.
 * The log tells when it goes and when it is back; health tells for how long it is away.
 */
export const connectRedis = ({ url, runtime }: { url: string; runtime: Pick<Runtime, 'log' | 'health'> }): Redis => {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(2_000, 50 * 2 ** Math.min(attempt, 6)) * (0.5 + Math.random()),
  });
  let away = false;
  redis.on('error', (error) => {
    if (away) return;
    away = true;
    runtime.log.warn({ err: error }, 'Redis is away; previews are kept in the memory of this process alone');
  });
  redis.on('ready', () => {
    if (away) runtime.log.info('Redis is back');
    away = false;
  });
  runtime.health.optional.set('redis', () =>
    redis.status === 'ready' ? null : 'Redis is away; previews are kept in the memory of this process alone',
  );
  return redis;
};
