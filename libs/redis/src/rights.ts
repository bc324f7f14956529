import { redisChannels, redisKeys } from './names.js';

/** The users of Redis, each a service that logs in as it. */
export const redisUserNames = ['gateway', 'timeseries', 'keys'] as const;
export type RedisUserName = (typeof redisUserNames)[number];

interface Rights {
  /** Patterns of keys that it reads and writes; all that a script touches is here, since Redis takes a script for both. */
  readonly keys?: readonly string[];
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly channels?: readonly string[];
  /** Separated by blanks; those that scripts call are among them. */
  readonly commands: string;
}

const any = '*';

const rights: Readonly<Record<RedisUserName, Rights>> = {
  gateway: {
    keys: [redisKeys.leases(any)],
    writes: [redisKeys.uses(any)],
    channels: [redisChannels.leasesTaken],
    commands:
      'evalsha eval time lrange ltrim rpush pexpire publish subscribe zadd zremrangebyscore zcard zrem hset expire',
  },
  timeseries: {
    // The locks are among them.
    keys: [redisKeys.preview(any), redisKeys.duePreviews],
    commands: 'eval hget hmget hset expire set get del zcard zscore zadd zrange zrem',
  },
  keys: { reads: [redisKeys.uses(any)], commands: 'hgetall' },
};

/** To see that the server is there and has loaded what it holds; it tells of no key. */
const everybodys = 'ping info';

/** Exactly what a user needs, as the rules of `ACL SETUSER`; everything else is refused. Redis 7 or Valkey 8. */
export const redisRulesOf = (user: RedisUserName): string[] => {
  const { keys = [], reads = [], writes = [], channels = [], commands } = rights[user];
  return [
    'resetkeys',
    'resetchannels',
    '-@all',
    ...keys.map((pattern) => `~${pattern}`),
    ...reads.map((pattern) => `%R~${pattern}`),
    ...writes.map((pattern) => `%W~${pattern}`),
    ...channels.map((channel) => `&${channel}`),
    ...`${everybodys} ${commands}`.split(' ').map((command) => `+${command}`),
  ];
};
