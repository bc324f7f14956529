import { type Redis, redisKeys } from '@almanac/redis';
import { z } from 'zod';

/** A due market, leased to one worker until `untilMs`. */
export interface Claim {
  readonly ticker: string;
  readonly untilMs: number;
}

/**
 * The markets whose previews are prepared ahead, each with its due time, shared by all processes of the service. Redis
 * is enough: a lost entry only means that one reader gets a pending preview.
 */
export type PreviewQueue = ReturnType<typeof previewQueue>;

export class RedisUnavailableError extends Error {
  override readonly name = 'RedisAway';
}

export interface PreviewQueueOptions {
  readonly redis: Redis;
  readonly max: number;
  readonly leaseMs: number;
}

const addScript = `local room = tonumber(ARGV[1]) - redis.call('zcard', KEYS[1])
local refused = 0
for at = 2, #ARGV, 2 do
  local known = redis.call('zscore', KEYS[1], ARGV[at + 1])
  if known or room > 0 then
    redis.call('zadd', KEYS[1], ARGV[at], ARGV[at + 1])
    if not known then room = room - 1 end
  else
    refused = refused + 1
  end
end
return refused`;

const claimScript = `local due = redis.call('zrange', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 1)
if not due[1] then return false end
redis.call('zadd', KEYS[1], ARGV[2], due[1])
return due[1]`;

const finishScript = `if redis.call('zscore', KEYS[1], ARGV[2]) == ARGV[1] then redis.call('zrem', KEYS[1], ARGV[2]) end
return 1`;

export const previewQueue = ({ redis, max, leaseMs }: PreviewQueueOptions) => {
  const run = (script: string, ...values: (string | number)[]): Promise<unknown> => {
    if (redis.status !== 'ready') throw new RedisUnavailableError('Redis is unavailable');
    return redis.eval(script, 1, redisKeys.previewQueue, ...values);
  };
  return {
    /** Adds or moves markets by due time (ms since the epoch). Returns how many did not fit. */
    add: async (queue: ReadonlyMap<string, number>) => {
      if (queue.size === 0) return 0;
      const pairs = [...queue].flatMap(([ticker, atMs]) => [Math.ceil(atMs), ticker]);
      return z.int().parse(await run(addScript, max, ...pairs));
    },
    /** Leases the market that is due longest. Unfinished, it is due again at the end. Throws RedisUnavailableError. */
    claim: async (): Promise<Claim | undefined> => {
      const nowMs = Date.now();
      const untilMs = nowMs + leaseMs;
      const ticker = z
        .string()
        .nullable()
        .parse(await run(claimScript, nowMs, untilMs));
      return ticker === null ? undefined : { ticker, untilMs };
    },
    /** Does nothing if the market was added again after the claim. */
    finish: async ({ ticker, untilMs }: Claim) => void (await run(finishScript, String(untilMs), ticker)),
  };
};
