import { readLastUsed, type Redis } from '@almanac/redis';
import type { Logger } from '@almanac/runtime';

/** When each key of an account was last used, in Unix seconds, if known. */
export type LastUsedTimes = (account: string) => Promise<ReadonlyMap<string, number>>;

/** Reads what gateways store in Redis. Without Redis, keys are listed without these times. */
export const lastUsedFromRedis =
  (redis: Redis, log: Logger): LastUsedTimes =>
  async (account) => {
    try {
      return await readLastUsed(redis, account);
    } catch (error) {
      log.debug({ err: error }, 'the last uses of keys could not be read');
      return new Map();
    }
  };
