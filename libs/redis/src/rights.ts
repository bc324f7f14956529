import { redisChannels, redisKeys } from './names.js';

/** Commands with the keys and channels they are allowed on. */
interface Rights {
  readonly keys?: readonly string[];
  readonly channels?: readonly string[];
  /** Separated by blanks. Includes the commands that scripts call. */
  readonly commands: string;
}

const any = '*';

/** A list, because different commands may be allowed on different keys. */
const rights = {
  gateway: [
    {
      keys: [redisKeys.leases(any), redisKeys.gateways],
      channels: [redisChannels.leaseUsage],
      commands: 'evalsha eval time lpop lindex lpush rpush pexpire publish subscribe zadd zremrangebyscore zrange zrem',
    },
    { keys: [redisKeys.lastUsed(any)], commands: 'hset expire' },
    { keys: [redisKeys.failedKeys(any)], commands: 'evalsha eval incr pexpire pttl' },
  ],
  timeseries: [
    {
      // Includes the locks.
      keys: [redisKeys.preview(any), redisKeys.previewQueue],
      commands: 'eval hget hmget hset expire set get del zcard zscore zadd zrange zrem',
    },
  ],
  keys: [{ keys: [redisKeys.lastUsed(any)], commands: 'hgetall' }],
} satisfies Readonly<Record<string, readonly Rights[]>>;

export type RedisUserName = keyof typeof rights;
export const redisUserNames = Object.keys(rights) as readonly RedisUserName[];

/** To check that the server is available and has loaded its data, and to find the nodes of a cluster. Reveals no key. */
const everybodys: Rights = { commands: 'ping info cluster|info cluster|slots' };

/** The minimal rights of a user as rules of `ACL SETUSER`. Everything else is denied. Redis 7 or Valkey. */
export const redisRulesOf = (user: RedisUserName): string[] => [
  'resetkeys',
  'resetchannels',
  '-@all',
  ...rulesOf(everybodys),
  // One selector per entry: rules outside a selector would apply to all keys outside selectors.
  ...rights[user].map((one: Rights) => `(${rulesOf(one).join(' ')})`),
];

const rulesOf = ({ keys = [], channels = [], commands }: Rights): string[] => [
  ...keys.map((pattern) => `~${pattern}`),
  ...channels.map((channel) => `&${channel}`),
  ...commands.split(' ').map((command) => `+${command}`),
];
