import { recordLastUsed, type Redis } from '@almanac/redis';
import { accountOfKey, type Logger } from '@almanac/runtime';

const everyMs = 5_000;

/**
 * Collects when keys were used, and writes the times to Redis every 5 s. Times that Redis does not accept are lost.
 * `keysMax` limits the collected keys.
 */
export const createKeyUsage = (redis: Redis, { keysMax, log }: { keysMax: number; log: Logger }) => {
  let uses = new Map<string, number>();
  const flush = async (): Promise<void> => {
    if (uses.size === 0) return;
    const flushing = uses;
    uses = new Map();
    try {
      await recordLastUsed(redis, byAccount(flushing));
    } catch (error) {
      log.debug({ err: error, keys: flushing.size }, 'the last uses of keys could not be stored');
    }
  };
  const timer = setInterval(() => void flush(), everyMs);
  return {
    used: (keyId: string) => {
      if (uses.size < keysMax || uses.has(keyId)) uses.set(keyId, Date.now() / 1_000);
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};

const byAccount = (uses: ReadonlyMap<string, number>): Map<string, Map<string, number>> => {
  const accounts = new Map<string, Map<string, number>>();
  for (const [keyId, seconds] of uses) {
    const account = accountOfKey(keyId);
    accounts.set(account, (accounts.get(account) ?? new Map<string, number>()).set(keyId, seconds));
  }
  return accounts;
};
