import type { Redis } from '@almanac/redis';
import { redisChannels, redisKeys, scriptOf } from '@almanac/redis';

/** Leases count for this long. Unused tokens are dropped afterwards. */
export const windowMs = 60_000;

/** A request for `lease` tokens of the window's `limit`. */
export interface LeaseRequest {
  readonly account: string;
  /** Requests in any minute, over all gateways. */
  readonly limit: number;
  readonly lease: number;
  /** Tokens that this gateway certainly received in this window. Redis has lost those it does not list. */
  readonly held: number;
}

export interface Lease {
  /** Granted requests. 0 if the window is full. */
  readonly tokens: number;
  /** Unleased requests of the window. */
  readonly free: number;
  readonly resetMs: number;
  /** If nothing was granted: how long another request is useless. */
  readonly pauseMs: number;
}

/**
 * One list per account. A lease is `<ms> <tokens> <gateway>`, oldest first, in Redis' time. If a gateway holds more
 * than the list shows, Redis was restarted, full or unavailable; the difference counts from now on. The rest is
 * published, so that other gateways know the usage.
 */
const leaseScript = scriptOf(`
local limit, lease, held, gateway = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local taken, own, oldest, ended = 0, 0, nil, 0
for _, text in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local at, tokens, by = string.match(text, '^(%d+) (%d+) (.+)$')
  at, tokens = tonumber(at), tonumber(tokens)
  if at > now - ${windowMs} then
    taken = taken + tokens
    if by == gateway then own = own + tokens end
    oldest = oldest or at
  elseif not oldest then
    ended = ended + 1
  end
end
if ended > 0 then redis.call('LTRIM', KEYS[1], ended, -1) end
local function add(tokens)
  redis.call('RPUSH', KEYS[1], string.format('%d %d %s', now, tokens, gateway))
  redis.call('PEXPIRE', KEYS[1], ${windowMs})
  taken = taken + tokens
  oldest = oldest or now
end
if held > own then add(held - own) end
local granted = math.max(0, math.min(lease, limit - taken))
local free = math.max(0, limit - taken - granted)
if granted > 0 then
  add(granted)
  redis.call('PUBLISH', ARGV[5], string.format('%s %d %s', ARGV[6], free, gateway))
end
return { granted, free, oldest and oldest + ${windowMs} - now or ${windowMs}, redis.call('ZCARD', KEYS[2]) }
`);

/** The number of gateways with a heartbeat within the last 15 s. */
const presenceScript = scriptOf(`
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - 15)
return redis.call('ZCARD', KEYS[1])
`);

/** Leases shared by all gateways. Every call rejects if Redis does not answer. */
export const sharedLeases = (redis: Redis, gateway: string) => {
  let gateways = 1;
  const ready = (): void => {
    if (redis.status !== 'ready') throw new Error('Redis is unavailable');
  };
  return {
    lease: async ({ account, limit, lease, held }: LeaseRequest): Promise<Lease> => {
      ready();
      const values = [limit, lease, held, gateway, redisChannels.leaseUsage, account];
      const [tokens = 0, free = 0, resetMs = windowMs, present = 1] = numbersOf(
        await leaseScript.run(redis, [redisKeys.leases(account), redisKeys.gateways], values),
      );
      gateways = Math.max(1, present);
      return { tokens, free, resetMs, pauseMs: Math.max(1, resetMs) };
    },
    present: async (): Promise<void> => {
      ready();
      gateways = Math.max(1, Number(await presenceScript.run(redis, [redisKeys.gateways], [gateway])));
    },
    /** The number of gateways, including this one, at the last call to Redis. */
    gateways: (): number => gateways,
    leave: async (): Promise<void> => {
      if (redis.status === 'ready') await redis.zrem(redisKeys.gateways, gateway);
    },
  };
};
export type SharedLeases = ReturnType<typeof sharedLeases>;

const numbersOf = (reply: unknown): number[] => (Array.isArray(reply) ? reply.map(Number) : []);
