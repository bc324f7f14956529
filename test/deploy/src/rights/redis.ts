import assert from 'node:assert/strict';
import { readLastUsed, recordLastUsed, type Redis, redisKeys, type RedisUserName } from '@almanac/redis';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { Redis as PlainRedis } from 'ioredis';
import { z } from 'zod';
import { createFailedKeys } from '../../../../services/gateway/dist/auth/failed-keys.js';
import { sharedLeases } from '../../../../services/gateway/dist/limits/leases.js';
import { watchPeerUsage } from '../../../../services/gateway/dist/limits/peer-usage.js';
import { previewQueue } from '../../../../services/timeseries/dist/preview/preview-queue.js';
import { previewCache } from '../../../../services/timeseries/dist/preview/preview-cache.js';

const log = createLogger('test', 'silent');

/** Without the short timeout of the services' own connections: a busy machine is no refusal. */
export const connected = async (url: string, username: string, password: string): Promise<Redis> => {
  const redis = new PlainRedis(url, { username, password, disableClientInfo: true });
  redis.on('error', (error) => log.debug({ err: error }, 'Redis'));
  await eventually(() => assert.equal(redis.status, 'ready'));
  return redis;
};

export interface ExpectedRedisAccess {
  /** The allowed commands and their keys. Deliberately repeated here: an added permission fails the test. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly channels: readonly string[];
  /** The work of the service in Redis, by its own code. Throws when anything is refused. */
  readonly work: (redis: Redis) => Promise<void>;
}

const account = 'account';
/** Every key of names.ts. A new key there does not compile until it is listed here. */
const keys: Readonly<Record<keyof typeof redisKeys, string>> = {
  leases: redisKeys.leases(account),
  gateways: redisKeys.gateways,
  lastUsed: redisKeys.lastUsed(account),
  failedKeys: redisKeys.failedKeys('address'),
  preview: redisKeys.preview('M'),
  previewLock: redisKeys.previewLock('M'),
  previewQueue: redisKeys.previewQueue,
};
export const everyKey: readonly string[] = Object.values(keys);
const leases = [keys.leases, keys.gateways];
const previews = [keys.preview, keys.previewLock, keys.previewQueue];
const on = (commands: string, which: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(commands.split(' ').map((command) => [command, which]));
const everybody = on('ping info cluster|info cluster|slots', []);

export const expectedRedisAccess: Readonly<Record<RedisUserName, ExpectedRedisAccess>> = {
  gateway: {
    commands: {
      ...everybody,
      ...on('time publish subscribe', []),
      ...on('lpop lindex lpush rpush zadd zremrangebyscore zrange zrem', leases),
      ...on('eval evalsha pexpire', [...leases, keys.failedKeys]),
      ...on('incr pttl', [keys.failedKeys]),
      ...on('hset expire', [keys.lastUsed]),
    },
    channels: ['almanac:limits:usage'],
    work: async (redis) => {
      const taken: string[] = [];
      const onTaken = (of: string): void => void taken.push(of);
      const listening = watchPeerUsage({ redis, gateway: 'one', log, onUsage: onTaken, onJoined: () => undefined });
      await eventually(() => assert.ok(Number.isFinite(listening.sinceMs())));
      const other = sharedLeases(redis, 'other');
      await other.present();
      const request = {
        account,
        limit: 10,
        reserve: 0,
        waiting: 2,
        unspent: 0,
        held: { all: 4, unlisted: 4 },
        epoch: '',
      };
      // Only a lease that others share is published.
      await sharedLeases(redis, 'third').lease({ ...request, held: { all: 0, unlisted: 0 } });
      assert.equal((await other.lease(request)).tokens, 2);
      await eventually(() => assert.deepEqual(taken, [account]));
      await other.leave();
      listening.stop();
      await recordLastUsed(redis, new Map([[account, new Map([['key', 1_771_992_900]])]]));
      const [one, two] = [1, 2].map(() => createFailedKeys({ redis, limit: 2, secret: 'x', log }));
      for (const gateway of [one, two]) gateway?.count('192.0.2.1');
      // Each alone counted one. Only Redis knows both.
      await eventually(() => {
        two?.lookUp('192.0.2.1');
        assert.throws(() => two?.check('192.0.2.1'));
      });
    },
  },
  timeseries: {
    commands: {
      ...everybody,
      ...on('eval hget hmget hset expire set get del zcard zscore zadd zrange zrem', previews),
    },
    channels: [],
    work: async (redis) => {
      const queue = previewQueue({ redis, max: 10, leaseMs: 60_000 });
      assert.equal(await queue.add(new Map([['M', 1]])), 0);
      const claim = (await queue.claim()) ?? assert.fail('nothing is due');
      await queue.finish(claim);
      assert.equal(await redis.zcard(redisKeys.previewQueue), 0);
      const failed = (...args: unknown[]): never => assert.fail(JSON.stringify(args));
      const cache = () => previewCache({ redis, log: { warn: failed }, bytesMax: 1_000, ttlS: 60, lockMs: 60_000 });
      const made = { ticker: 'M', version: 1, from: '1 over', madeMs: 1, body: Buffer.from('{}') };
      assert.ok(await cache().withLock('M', () => cache().put(made)));
      assert.deepEqual(await cache().fromRedis('M'), made);
      assert.equal(await redis.get(redisKeys.previewLock('M')), null, 'the lock is open again');
    },
  },
  keys: {
    commands: { ...everybody, ...on('hgetall', [keys.lastUsed]) },
    channels: [],
    work: async (redis) => {
      assert.ok((await readLastUsed(redis, account)).size <= 1);
    },
  },
};

export interface Command {
  readonly name: string;
  /** Arguments for the command, with its key at `keyAt`. */
  readonly words: readonly string[];
  /** 0 means no key at a fixed position. */
  readonly keyAt: number;
}

const entry: z.ZodType<readonly [string, number, number, readonly unknown[]]> = z
  .tuple([z.string(), z.int(), z.unknown(), z.int()])
  .rest(z.unknown())
  .transform(([name, arity, , keyAt, ...rest]) => {
    const subcommands = rest[5];
    return [name, arity, keyAt, Array.isArray(subcommands) ? subcommands : []] as const;
  });

/**
 * All commands of the server, each with its minimum number of arguments: with fewer the server refuses it for that
 * reason.
 */
export const everyCommand = async (operator: Redis): Promise<Command[]> => {
  const commandTable = z.array(z.unknown()).parse(await operator.call('COMMAND'));
  return commandTable.flatMap((one) => {
    const [name, arity, keyAt, subcommands] = entry.parse(one);
    const own = { name, words: worded(name, arity), keyAt };
    const subs = subcommands.map((sub) => {
      const [subname, subarity, subkeyAt] = entry.parse(sub);
      return { name: subname, words: worded(subname, subarity), keyAt: subkeyAt };
    });
    return subs.length > 0 ? subs : [own];
  });
};

const worded = (name: string, arity: number): string[] => {
  const words = name.split('|');
  return [...words, ...Array.from({ length: Math.max(0, Math.abs(arity) - words.length) }, () => 'x')];
};

/** The arguments with a key at its position. */
export const withKey = ({ name, words, keyAt }: Command, key: string): string[] => {
  if (name === 'eval' || name === 'evalsha') return [name, 'return 1', '1', key];
  return words.map((word, at) => (at > 0 && at === keyAt ? key : word));
};

/** The permission error of Redis, or `undefined` if it ran the command or refused it for another reason. */
export const refusal = async (redis: Redis, [name = '', ...words]: readonly string[]): Promise<string | undefined> => {
  try {
    await redis.call(name, ...words);
    return undefined;
  } catch (error) {
    // Any other error, such as a timeout, is neither a refusal nor a permission.
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    return /NOPERM|in script|executing the script can't|command not allowed/.test(error.message)
      ? error.message
      : undefined;
  }
};
