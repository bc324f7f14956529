import type { Redis } from 'ioredis';
import { redisKeys } from './names.js';

/** An account that is not used for that long is unknown again. */
const keptS = 400 * 24 * 3_600;

/** When keys of accounts were last used: by account, key id -> Unix seconds. Rejects when Redis does not take it. */
export const noteUses = async (redis: Redis, uses: ReadonlyMap<string, ReadonlyMap<string, number>>): Promise<void> => {
  if (redis.status !== 'ready') throw new Error('Redis is away');
  const commands = redis.pipeline();
  for (const [account, keys] of uses)
    commands.hset(redisKeys.uses(account), keys).expire(redisKeys.uses(account), keptS);
  for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
};

/** When each key of an account was last used, Unix seconds, as far as Redis knows. Rejects when it cannot be asked. */
export const lastUses = async (redis: Redis, account: string): Promise<ReadonlyMap<string, number>> => {
  if (redis.status !== 'ready') throw new Error('Redis is away');
  const told = Object.entries(await redis.hgetall(redisKeys.uses(account)));
  return new Map(told.map(([key, seconds]) => [key, Number(seconds)]));
};
