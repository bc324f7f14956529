import { createHash } from 'node:crypto';
import type { Redis } from './client.js';

export interface Script {
  run(redis: Redis, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>;
}

/** Sends only the hash. A Redis that does not know it, for example after a restart, gets the text once. */
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
