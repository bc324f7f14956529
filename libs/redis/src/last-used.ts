import type { Redis } from 'ioredis';
import { redisKeys } from './names.js';

/** Entries of an account expire after this time without use. */
const ttlS = 400 * 24 * 3_600;

/** Stores when keys were last used: by account, key id -> Unix seconds. Rejects if Redis does not accept it. */
export const recordLastUsed = async (
  redis: Redis,
  uses: ReadonlyMap<string, ReadonlyMap<string, number>>,
): Promise<void> => {
  if (redis.status !== 'ready') throw new Error('Redis is unavailable');
  const commands = redis.pipeline();
  for (const [account, keys] of uses)
    commands.hset(redisKeys.lastUsed(account), keys).expire(redisKeys.lastUsed(account), ttlS);
  for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
};

/** Reads when each key of an account was last used, in Unix seconds. Rejects if Redis is unavailable. */
export const readLastUsed = async (redis: Redis, account: string): Promise<ReadonlyMap<string, number>> => {
  if (redis.status !== 'ready') throw new Error('Redis is unavailable');
  const entries = Object.entries(await redis.hgetall(redisKeys.lastUsed(account)));
  return new Map(entries.map(([key, seconds]) => [key, Number(seconds)]));
};
