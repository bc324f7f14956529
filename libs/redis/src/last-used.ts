import type { Redis } from './client.js';
import { redisKeys } from './names.js';

/** Entries of an account expire after this time without use. */
const ttlS = 400 * 24 * 3_600;

/** Stores when keys were last used: by account, key id -> Unix seconds. Rejects if Redis does not accept it. */
export const recordLastUsed = async (
  redis: Redis,
  uses: ReadonlyMap<string, ReadonlyMap<string, number>>,
): Promise<void> => {
  if (redis.status !== 'ready') throw new Error('Redis is unavailable');
  const stored = [...uses].map(async ([account, keys]) => {
    const key = redisKeys.lastUsed(account);
    // One pipeline each: in a cluster, accounts are on different servers.
    const replies = await redis.pipeline().hset(key, keys).expire(key, ttlS).exec();
    for (const [error] of replies ?? []) if (error !== null) throw error;
  });
  await Promise.all(stored);
};

/** Reads when each key of an account was last used, in Unix seconds. Rejects if Redis is unavailable. */
export const readLastUsed = async (redis: Redis, account: string): Promise<ReadonlyMap<string, number>> => {
  if (redis.status !== 'ready') throw new Error('Redis is unavailable');
  const entries = Object.entries(await redis.hgetall(redisKeys.lastUsed(account)));
  return new Map(entries.map(([key, seconds]) => [key, Number(seconds)]));
};
