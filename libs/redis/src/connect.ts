import {
  beginSpanOfCall,
  earliestOf,
  errorTypeOf,
  type ReadValidity,
  type Runtime,
  type SpanOptions,
  validityOfAuthorities,
  validityOfServer,
  watchCertificates,
} from '@almanac/runtime';
import { Cluster, type Command } from 'ioredis';
import { hostsOf, parseRedisUrl, type RedisAddress, redisUrlForms } from './address.js';
import { createRedis, type Redis } from './client.js';

export interface RedisOptions {
  readonly config: {
    readonly REDIS_URL: string;
    readonly REDIS_USER?: string | undefined;
    readonly REDIS_PASSWORD?: string | undefined;
    readonly REDIS_CA?: string | undefined;
  };
  readonly runtime: Pick<Runtime, 'log' | 'health'>;
  /** The consequence of an outage, as the end of a sentence: `previews are cached in this process alone`. */
  readonly without: string;
}

/**
 * A connection for data that may be lost. A command fails at once while Redis is unavailable, and after 500 ms while
 * it hangs; the process continues without it. The log reports the loss and the return of the connection, and the
 * health checks report an outage while it lasts.
 */
export const connectRedis = ({ config, runtime, without }: RedisOptions): Redis => {
  const { REDIS_URL: url, REDIS_USER: username, REDIS_PASSWORD: password, REDIS_CA: ca } = config;
  const address = parseRedisUrl(url);
  if (address === undefined) throw new Error(`REDIS_URL ${redisUrlForms}`);
  if (ca !== undefined && !address.tls) throw new Error('REDIS_CA needs a REDIS_URL that begins with rediss');
  const redis = createRedis(address, { username, password, ca });
  traceCommands(redis);
  watchCertificates('redis', redisCertificates(address, ca), runtime);
  let why: string | null = null;
  redis.on('error', (error: Error) => {
    const before = why;
    why = isRefusal(error) ? 'Redis refuses the login' : 'Redis is unavailable';
    if (before !== why) runtime.log.warn({ err: error }, `${why}; ${without}`);
  });
  redis.on('ready', () => {
    if (why !== null) runtime.log.info('Redis is available again');
    why = null;
  });
  runtime.health.degradable.set('redis', () =>
    redis.status === 'ready' ? null : `${why ?? 'Redis is unavailable'}; ${without}`,
  );
  return redis;
};

/** What TLS to Redis depends on. Of Sentinels, their own: the primary that they name is not asked. */
const redisCertificates = (address: RedisAddress, ca: string | undefined): Record<string, ReadValidity> => {
  if (!address.tls) return {};
  const server = earliestOf(hostsOf(address).map((host) => () => validityOfServer(host)));
  const authorities = ca === undefined ? {} : { REDIS_CA: () => Promise.resolve(validityOfAuthorities(ca)) };
  return { ...authorities, 'server of Redis': server };
};

/** The error code is the first word of the message. */
const isRefusal = ({ message }: Error): boolean => /^(WRONGPASS|NOAUTH|NOPERM)\b/.test(message);

/**
 * Creates a span for each command sent within a recorded span. The client's own diagnostics channel would first
 * convert all arguments to text, perhaps a preview of 100 KB.
 */
const traceCommands = (redis: Redis): void => {
  if (redis instanceof Cluster) redis.sendCommand = traced(redis.sendCommand.bind(redis));
  else redis.sendCommand = traced(redis.sendCommand.bind(redis));
};

const traced =
  <Rest extends unknown[], Answer>(send: (command: Command, ...rest: Rest) => Answer) =>
  (command: Command, ...rest: Rest): Answer => {
    const span = beginSpanOfCall(() => commandSpan(command.name));
    if (span !== undefined) {
      command.promise.then(
        () => span.end(),
        (error: unknown) => {
          span.fail(errorTypeOf(error));
          span.end();
        },
      );
    }
    return send(command, ...rest);
  };

const commandSpan = (name: string): SpanOptions => {
  const operation = name.toUpperCase();
  return {
    kind: 'client',
    name: operation,
    attributes: { 'db.system.name': 'redis', 'db.operation.name': operation },
  };
};
