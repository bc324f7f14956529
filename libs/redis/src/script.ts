import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script that Redis knows by its hash. */
export interface Script {
  run(redis: Redis, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>;
}

/** Sends the hash alone; a Redis that does not know it, such as one that was started anew, gets the text once. */
export const scriptOf = (text: string): Script => {
  const hash = createHash('sha1').update(text).digest('hex');
  return {
    run: async (redis, keys, values) => {
      try {
        return await redis.evalsha(hash, keys.length, ...keys, ...values);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return redis.eval(text, keys.length, ...keys, ...values);
      }
    },
  };
};
