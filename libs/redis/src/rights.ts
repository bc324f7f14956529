import { redisChannels, redisKeys } from './names.js';

/** The users of Redis, each a service that logs in as it. */
export const redisUserNames = ['gateway', 'timeseries', 'keys'] as const;
export type RedisUserName = (typeof redisUserNames)[number];

/** Commands, and the keys and channels that they are allowed on. */
interface Rights {
  /** Patterns of keys. */
  readonly keys?: readonly string[];
  readonly channels?: readonly string[];
  /** Separated by blanks; those that scripts call are among them. */
  readonly commands: string;
}

const any = '*';

/** A list, since one command may be allowed on these keys and another on those. */
const rights: Readonly<Record<RedisUserName, readonly Rights[]>> = {
  gateway: [
    {
      keys: [redisKeys.leases(any)],
      channels: [redisChannels.leaseUsage],
      commands: 'evalsha eval time lrange ltrim rpush pexpire publish subscribe zadd zremrangebyscore zcard zrem',
    },
    { keys: [redisKeys.lastUsed(any)], commands: 'hset expire' },
  ],
  timeseries: [
    {
      // The locks are among them.
      keys: [redisKeys.preview(any), redisKeys.previewQueue],
      commands: 'eval hget hmget hset expire set get del zcard zscore zadd zrange zrem',
    },
  ],
  keys: [{ keys: [redisKeys.lastUsed(any)], commands: 'hgetall' }],
};

/** To see that the server is there and has loaded what it holds; it tells of no key. */
const everybodys: Rights = { commands: 'ping info' };

/** Exactly what a user needs, as the rules of `ACL SETUSER`; everything else is refused. Redis 7 or Valkey 8. */
export const redisRulesOf = (user: RedisUserName): string[] => [
  'resetkeys',
  'resetchannels',
  '-@all',
  ...rulesOf(everybodys),
  // A selector of its own for each: what stands outside of one would hold for all keys that stand there.
  ...rights[user].map((one) => `(${rulesOf(one).join(' ')})`),
];

const rulesOf = ({ keys = [], channels = [], commands }: Rights): string[] => [
  ...keys.map((pattern) => `~${pattern}`),
  ...channels.map((channel) => `&${channel}`),
  ...commands.split(' ').map((command) => `+${command}`),
];
