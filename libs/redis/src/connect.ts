import type { Runtime } from '@almanac/runtime';
import { Redis } from 'ioredis';
import { traceCommands } from './trace-commands.js';

export type { Redis };

const commandMs = 500;

export interface RedisOptions {
  /** What redisVariables parse. */
  readonly config: {
    readonly REDIS_URL: string;
    readonly REDIS_USER?: string | undefined;
    readonly REDIS_PASSWORD?: string | undefined;
  };
  readonly runtime: Pick<Runtime, 'log' | 'health'>;
  /** What follows while Redis is away, the end of a sentence: `previews are kept in the memory of this process alone`. */
  readonly without: string;
}

/**
 * A connection for what may be lost: a command fails at once while Redis is away and after 500 ms while it hangs, and
 * the process goes on without. The log tells when it goes and when it is back; health tells for how long it is away.
 */
export const connectRedis = ({ config, runtime, without }: RedisOptions): Redis => {
  const { REDIS_URL: url, REDIS_USER: username, REDIS_PASSWORD: password } = config;
  const redis = new Redis(url, {
    // A name or password that stands in the URL goes first.
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // CLIENT is no right of a service, and older servers than 7.2 do not know this part of it.
    disableClientInfo: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(2_000, 50 * 2 ** Math.min(attempt, 6)) * (0.5 + Math.random()),
  });
  traceCommands(redis);
  let why: string | null = null;
  redis.on('error', (error) => {
    const before = why;
    why = isRefusal(error) ? 'Redis refuses the login' : 'Redis is away';
    if (before !== why) runtime.log.warn({ err: error }, `${why}; ${without}`);
  });
  redis.on('ready', () => {
    if (why !== null) runtime.log.info('Redis is back');
    why = null;
  });
  runtime.health.degradable.set('redis', () =>
    redis.status === 'ready' ? null : `${why ?? 'Redis is away'}; ${without}`,
  );
  return redis;
};

/** Its error code is the first word of what it says. */
const isRefusal = ({ message }: Error): boolean => /^(WRONGPASS|NOAUTH|NOPERM)\b/.test(message);
