import { readLastUsed, type Redis } from '@almanac/redis';
import type { Logger } from '@almanac/runtime';

/** When each key of an account was last used, Unix seconds, as far as is known. */
export type LastUsedTimes = (account: string) => Promise<ReadonlyMap<string, number>>;

/** What gateways note in Redis. Without Redis nothing is known, and the keys are told all the same. */
export const lastUsedFromRedis =
  (redis: Redis, log: Logger): LastUsedTimes =>
  async (account) => {
    try {
      return await readLastUsed(redis, account);
    } catch (error) {
      log.debug({ err: error }, 'last uses of keys are not known');
      return new Map();
    }
  };
