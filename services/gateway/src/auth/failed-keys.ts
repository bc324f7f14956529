import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Redis, redisKeys, scriptOf } from '@almanac/redis';
import { entryCache, type Logger } from '@almanac/runtime';
import { type HttpError, tooManyFailedKeys } from '../http/error-response.js';

const windowMs = 60_000;
const addressesMax = 20_000;
/** How long Redis is not called after a failure. If it hangs, each call costs half a second. */
const retryAfterFailureMs = 1_000;

/** Counts one failure. Returns the failures of the window, and the milliseconds until it ends. */
const countScript = scriptOf(`
local failures = redis.call('INCR', KEYS[1])
if failures == 1 then redis.call('PEXPIRE', KEYS[1], ${windowMs}) end
return { failures, redis.call('PTTL', KEYS[1]) }
`);

/** A throttled address may have one unknown key looked up this often, so that a good one is found. */
const lookUpEveryMs = 250;

interface Failures {
  readonly count: number;
  readonly endsMs: number;
  /** When a key of the throttled address may be looked up again. */
  readonly nextLookUpMs: number;
}

export interface FailedKeysOptions {
  readonly redis: Redis;
  /** Failures of one address in a minute. 0: no limit. */
  readonly limit: number;
  /** Redis gets an HMAC of the address, which is personal data. */
  readonly secret: string;
  readonly log: Logger;
}

export type FailedKeys = ReturnType<typeof createFailedKeys>;

/**
 * Limits rejected API keys by client address. All gateways count in Redis; each learns the total with its own next
 * failure of the address. While Redis is unavailable, each gateway limits alone. Cached keys are not affected, and of unknown
 * ones some are looked up, so that nobody with a good key is locked out by a neighbour.
 */
export const createFailedKeys = ({ redis, limit, secret, log }: FailedKeysOptions) => {
  const addresses = entryCache<string, Failures>(addressesMax);
  let restUntilMs = 0;
  const current = (client: string): Failures | undefined => {
    const failures = addresses.get(client);
    return failures !== undefined && failures.endsMs > performance.now() ? failures : undefined;
  };
  const share = async (client: string): Promise<void> => {
    if (redis.status !== 'ready' || performance.now() < restUntilMs) return;
    try {
      const key = redisKeys.failedKeys(createHmac('sha256', secret).update(`address\n${client}`).digest('base64url'));
      const reply = await countScript.run(redis, [key], []);
      const [count = 0, ttlMs = windowMs] = Array.isArray(reply) ? reply.map(Number) : [];
      const own = current(client);
      const nextLookUpMs = own?.nextLookUpMs ?? 0;
      addresses.set(client, {
        count: Math.max(own?.count ?? 0, count),
        endsMs: performance.now() + ttlMs,
        nextLookUpMs,
      });
    } catch (error) {
      restUntilMs = performance.now() + retryAfterFailureMs;
      log.debug({ err: error }, 'a rejected key could not be counted for all gateways');
    }
  };
  const throttled = (address: string | undefined): Failures | undefined => {
    const failures = limit === 0 ? undefined : current(clientOf(address));
    return failures !== undefined && failures.count >= limit ? failures : undefined;
  };
  const refusalOf = ({ endsMs }: Failures): HttpError =>
    tooManyFailedKeys(Math.ceil((endsMs - performance.now()) / 1_000));
  return {
    /** Throws `rate_limited` if too many keys from this address were rejected, and none can be looked up now. */
    check: (address: string | undefined): void => {
      const failures = throttled(address);
      if (failures !== undefined && failures.nextLookUpMs > performance.now()) throw refusalOf(failures);
    },
    /** Throws as `check` does. Returns the refusal of a wrong key, which is another one while the address is throttled. */
    lookUp: (address: string | undefined): HttpError | undefined => {
      const failures = throttled(address);
      if (failures === undefined) return undefined;
      const refusal = refusalOf(failures);
      if (failures.nextLookUpMs > performance.now()) throw refusal;
      addresses.set(clientOf(address), { ...failures, nextLookUpMs: performance.now() + lookUpEveryMs });
      return refusal;
    },
    count: (address: string | undefined): void => {
      if (limit === 0) return;
      const client = clientOf(address);
      const before = current(client) ?? { count: 0, endsMs: performance.now() + windowMs, nextLookUpMs: 0 };
      addresses.set(client, { ...before, count: before.count + 1 });
      void share(client);
    },
  };
};

/** An IPv4 address, or the first 64 bits of an IPv6 address: one client has all addresses of such a network. */
export const clientOf = (address = ''): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  const zeros = tail === undefined ? 0 : 8 - groups.length - after;
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? '').split(':')];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};
