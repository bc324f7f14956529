import type { Redis } from '@almanac/redis';
import { redisChannels, redisKeys, scriptOf } from '@almanac/redis';

/** Leases count for that long, and what is not spent of one by then is dropped. */
export const windowMs = 60_000;

/** What is asked for: as much as `lease` of the window's `limit`. */
export interface LeaseRequest {
  readonly account: string;
  /** Requests in any minute, over all gateways. */
  readonly limit: number;
  readonly lease: number;
  /** What this gateway was surely granted in this window; what Redis does not have of it, it lost. */
  readonly held: number;
}

export interface Lease {
  /** Requests that may be let through; 0 where the window is full. */
  readonly tokens: number;
  /** Requests of the window that nobody holds. */
  readonly free: number;
  /** Until the oldest lease leaves the window. */
  readonly resetMs: number;
  /** Where nothing was granted: how long it is of no use to ask again. */
  readonly pauseMs: number;
}

/**
 * One list for each account: a lease is `<ms> <tokens> <gateway>`, the oldest first, by Redis' own clock. Where a
 * gateway holds more than the list says, Redis was started anew, was full, or was away: that counts from now on.
 * Everybody hears what is left, so that a gateway knows what others took.
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

/** How many gateways have said within the last 15 s that they are there. */
const presenceScript = scriptOf(`
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - 15)
return redis.call('ZCARD', KEYS[1])
`);

/** Leases that all gateways share. Every call rejects when Redis does not answer. */
export const sharedLeases = (redis: Redis, gateway: string) => {
  let gateways = 1;
  const ready = (): void => {
    if (redis.status !== 'ready') throw new Error('Redis is away');
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
    /** Says that this gateway is there. */
    present: async (): Promise<void> => {
      ready();
      gateways = Math.max(1, Number(await presenceScript.run(redis, [redisKeys.gateways], [gateway])));
    },
    /** How many gateways there were, this one among them, when Redis was asked last for whatever. */
    gateways: (): number => gateways,
    leave: async (): Promise<void> => {
      if (redis.status === 'ready') await redis.zrem(redisKeys.gateways, gateway);
    },
  };
};
export type SharedLeases = ReturnType<typeof sharedLeases>;

const numbersOf = (reply: unknown): number[] => (Array.isArray(reply) ? reply.map(Number) : []);
