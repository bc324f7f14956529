import { createConnection } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { backoffMs } from '@almanac/runtime';
import { AbstractConnector, Cluster, Redis as SingleRedis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.js';

/** A connection to one server, to the primary that Sentinels name, or to a cluster. */
export type Redis = SingleRedis | Cluster;

export interface Login {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export interface ClientOptions extends Login {
  /** Certificates in PEM form, by which the server's are checked. Default: those of Node. */
  readonly ca?: string | undefined;
}

const commandMs = 500;
const connectMs = 2_000;

const reconnectMs = (attempt: number): number => backoffMs(attempt, { firstMs: 50, mostMs: 2_000 });

const common = {
  // The services may not use CLIENT, and servers before 7.2 do not support this option.
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  commandTimeout: commandMs,
  connectTimeout: connectMs,
  // A managed server that becomes a replica keeps its connections. Its name then leads to the new primary.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} satisfies RedisOptions;

const ofOneServer = { ...common, enableOfflineQueue: false, retryStrategy: reconnectMs } satisfies RedisOptions;

export const createRedis = (address: RedisAddress, { ca, ...given }: ClientOptions): Redis => {
  const login = definedOf(given);
  const tls = address.tls ? { tls: ca === undefined ? {} : { ca } } : {};
  // A name or password in the URL takes precedence.
  if (address.kind === 'server')
    return keepConnected(new SingleRedis(address.url, { ...ofOneServer, ...login, ...tls }));
  const options = { ...login, ...tls };
  return address.kind === 'sentinel'
    ? keepConnected(sentinelClient(address, options))
    : clusterClient(address, options);
};

/**
 * The client gives up for ever, in spite of its retry strategy, where it fails before it has a socket: when Sentinels
 * announce a new primary while it asks them for one, or when it knows no node of a cluster.
 */
const keepConnected = (redis: SingleRedis): SingleRedis => {
  let isWanted = true;
  let attempts = 0;
  let retry: NodeJS.Timeout | undefined;
  const disconnect = redis.disconnect.bind(redis);
  redis.disconnect = (reconnect = false) => {
    if (!reconnect) {
      isWanted = false;
      clearTimeout(retry);
    }
    disconnect(reconnect);
  };
  redis.on('ready', () => (attempts = 0));
  redis.on('end', () => {
    // The client also reports the error as an event.
    if (isWanted) retry = setTimeout(() => void redis.connect().catch(() => undefined), reconnectMs((attempts += 1)));
  });
  return redis;
};

const definedOf = ({ username, password }: Login) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

/** A login and TLS, without what is not set. */
type Security = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

type AddressOf<Kind> = Extract<RedisAddress, { kind: Kind }>;

const sentinelClient = (
  { hosts, name, ...atSentinel }: AddressOf<'sentinel'>,
  { tls, ...login }: Security,
): SingleRedis =>
  new SingleRedis({
    ...ofOneServer,
    ...login,
    sentinels: [...hosts],
    name,
    // Sentinels announce a new primary, so a connection to one that hangs ends at once.
    failoverDetector: true,
    sentinelRetryStrategy: reconnectMs,
    sentinelReconnectStrategy: reconnectMs,
    sentinelCommandTimeout: connectMs,
    ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    ...(atSentinel.username === undefined ? {} : { sentinelUsername: atSentinel.username }),
    ...(atSentinel.password === undefined ? {} : { sentinelPassword: atSentinel.password }),
  });

const clusterClient = ({ hosts, username, password }: AddressOf<'cluster'>, given: Security): Redis =>
  new Cluster([...hosts], {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectMs,
    slotsRefreshTimeout: connectMs,
    // A command waits for a failover at most this often, a tenth of a second each.
    maxRedirections: 3,
    redisOptions: {
      ...common,
      ...given,
      ...definedOf({ username, password }),
    },
    // A certificate names hosts, not addresses.
    ...(given.tls === undefined ? {} : { dnsLookup: (host, done) => done(null, host) }),
  });

/** A further connection for a subscription, which is not renewed by itself. In a cluster, any node has all messages. */
export const subscribingClient = (redis: Redis): SingleRedis => {
  if (!(redis instanceof Cluster)) return keepConnected(redis.duplicate({ autoResubscribe: false }));
  const login = definedOf(redis.options.redisOptions ?? {});
  return keepConnected(
    new SingleRedis({ ...ofOneServer, ...login, autoResubscribe: false, Connector: anyNodeOf(redis) }),
  );
};

const anyNodeOf = (cluster: Cluster) =>
  class extends AbstractConnector {
    constructor() {
      super(connectMs);
    }

    // oxlint-disable-next-line typescript/require-await -- the client awaits it
    async connect(): Promise<ReturnType<typeof createConnection>> {
      this.connecting = true;
      const nodes = cluster.nodes();
      const { options } = nodes[Math.floor(Math.random() * nodes.length)] ?? {};
      if (options === undefined) throw new Error('No node of the Redis Cluster is known');
      const { host = '127.0.0.1', port = 6_379, tls } = options;
      this.stream = tls === undefined ? createConnection({ host, port }) : connectTls({ ...tls, host, port });
      return this.stream;
    }
  };
