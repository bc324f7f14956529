import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  localServers,
  startNats,
  type ClickHouseUser,
  type NatsOptions,
  type RedisUser,
  type RunningServer,
  type S3Credentials,
  type ServerStarters,
} from '@almanac/local-servers';
import { type LaggingReplica, replicatedClickHouse } from './clickhouse-replicas.js';
import { shardedClickHouse, shardedCluster } from './clickhouse-shards.js';
import { copyStoredTables } from './stored-tables.js';

const inContainers = process.env['ALMANAC_TEST_SERVERS'] === 'containers';

/** What stands for ClickHouse: `shards`, `cluster`, or by default one server. */
const clickHouseOfTests = process.env['ALMANAC_TEST_CLICKHOUSE'];

/** Programs of this machine, or containers under `npm run test:containers`, loaded only then. */
export const testServers = async (): Promise<ServerStarters> => {
  const servers = inContainers ? (await import('./containers.js')).containerServers : localServers;
  if (clickHouseOfTests === 'shards') return { ...servers, clickhouse: shardedClickHouse };
  if (clickHouseOfTests !== 'cluster') return servers;
  return { ...servers, clickhouse: (await import('./clickhouse-cluster.js')).clusterOfContainers };
};

/** The same with a ClickHouse that may have all tables already. */
export const serversWithTables = async (): Promise<ServerStarters> => {
  const servers = await testServers();
  if (inContainers || clickHouseOfTests !== undefined) return servers;
  return {
    ...servers,
    clickhouse: async (options) => {
      await copyStoredTables(options.dir);
      return servers.clickhouse(options);
    },
  };
};

/** A real server in a temporary folder. stop() ends it and removes the folder. */
export interface TestServer extends RunningServer {
  readonly dir: string;
}

/** A nats-server with `restart`: kill -9 and a start on the same folder and port. */
export interface TestNats extends TestServer {
  restart(): Promise<void>;
}

/** nats-server with JetStream on a free port. Without `users` and `accounts`, everyone has all rights. */
export const testNats = async (options: Pick<NatsOptions, 'users' | 'accounts' | 'tls'> = {}): Promise<TestNats> =>
  inFolder('nats', async (dir) => {
    if (inContainers) return (await import('./containers.js')).natsContainer({ dir, ...options });
    let server = await startNats({ dir, ...options });
    const restart = async (): Promise<void> => {
      process.kill(server.pid, 'SIGKILL');
      await server.stop();
      server = await startNats({ dir, port: server.port, ...options });
    };
    return {
      ...server,
      get pid() {
        return server.pid;
      },
      restart,
      stop: async () => server.stop(),
    };
  });

export interface TestRedis extends TestServer {
  /** With a login that has all rights. */
  readonly url: string;
  /** The same without a login. */
  readonly address: string;
  /** Kills the server and starts it on the same folder and port, with the same users and without data. */
  restart(): Promise<void>;
}

/** redis-server on a free port. Without `users` everyone has all rights, else only they and that of `url`. */
export const testRedis = async (options: { users?: readonly RedisUser[] } = {}): Promise<TestRedis> =>
  inFolder('redis', async (dir) => {
    const operator = { user: 'operator', password: randomUUID(), rules: ['~*', '&*', '+@all'] };
    const users = options.users === undefined ? {} : { users: [operator, ...options.users] };
    const servers = await testServers();
    let server = await servers.redis({ dir, ...users });
    const { port, url: address } = server;
    const login = options.users === undefined ? '' : `${operator.user}:${operator.password}@`;
    return {
      ...server,
      address,
      url: address.replace('://', `://${login}`),
      get pid() {
        return server.pid;
      },
      restart: async () => {
        await server.stop();
        server = await servers.redis({ dir, port, ...users });
      },
      stop: async () => server.stop(),
    };
  });

/** Settings for a client of the test database. The user has all rights. */
export interface TestClickHouse extends TestServer {
  readonly username: string;
  readonly password: string;
  /** The cluster of its tables. Undefined: it is one server. */
  readonly cluster: string | undefined;
}

/** A local program that a test can kill by its process id, even if the other tests use containers. */
export interface Killable {
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

/** Makes any server killable. After a kill, `start` gets the previous port. */
export const killable = async (start: (port?: number) => Promise<RunningServer>): Promise<RunningServer & Killable> => {
  let server = await start();
  const listeners: Parameters<RunningServer['onExit']>[0][] = [];
  return {
    ...server,
    get pid() {
      return server.pid;
    },
    onExit: (listener) => {
      listeners.push(listener);
      server.onExit(listener);
    },
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.stop();
    },
    startAgain: async () => {
      server = await start(server.port);
      for (const listener of listeners) server.onExit(listener);
    },
    stop: async () => server.stop(),
  };
};

export type NatsSettings = Pick<NatsOptions, 'users' | 'accounts' | 'storeBytesMax'>;

/** Like `testNats`, but killable, and restartable with other users or another storage limit. */
export const killableNats = async (
  options: NatsSettings = {},
): Promise<TestServer & Killable & { startAgain(changed?: NatsSettings): Promise<void> }> =>
  inFolder('nats', async (dir) => {
    let settings = options;
    const server = await killable((port) => startNats({ dir, ...settings, ...(port === undefined ? {} : { port }) }));
    const startAgain = async (changed = settings): Promise<void> => {
      settings = changed;
      await server.startAgain();
    };
    return extended(server, { dir, startAgain });
  });

/** Like `testRedis`, but killable, and restartable with other users. */
export const killableRedis = async (
  users: readonly RedisUser[],
): Promise<TestServer & Killable & { startAgain(newUsers?: readonly RedisUser[]): Promise<void> }> =>
  inFolder('redis', async (dir) => {
    let currentUsers = users;
    const server = await killable((port) =>
      localServers.redis({ dir, users: currentUsers, ...(port === undefined ? {} : { port }) }),
    );
    const startAgain = async (newUsers = currentUsers): Promise<void> => {
      currentUsers = newUsers;
      await server.startAgain();
    };
    return extended(server, { dir, startAgain });
  });

/** Like `testClickHouse`, but killable. */
export const killableClickHouse = async (
  options: { users?: readonly ClickHouseUser[] } = {},
): Promise<TestClickHouse & Killable> =>
  inFolder('clickhouse', async (dir) => {
    const operator = { user: 'operator', password: randomUUID() };
    const users = [operator, ...(options.users ?? [])];
    const server = await killable((port) =>
      localServers.clickhouse({ dir, users, ...(port === undefined ? {} : { port }) }),
    );
    return extended(server, { username: operator.user, password: operator.password, cluster: undefined });
  });

/** Like `testS3`, but killable. */
export const killableS3 = async (options: { users?: readonly S3Credentials[] } = {}): Promise<TestS3 & Killable> =>
  inFolder('s3', async (dir) => {
    const access = { accessKeyId: 'test', secretAccessKey: randomUUID(), bucket: 'test' };
    const server = await killable((port) =>
      localServers.s3({ dir, ...access, ...options, ...(port === undefined ? {} : { port }) }),
    );
    return extended(server, access);
  });

export interface TestClickHouseOptions {
  readonly users?: readonly ClickHouseUser[];
  /** A stand-in for a cluster of two shards. Default: if ALMANAC_TEST_CLICKHOUSE is `shards`. */
  readonly sharded?: boolean;
  /** False for a server without tables. Otherwise it may have them, and a migration makes those that it lacks. */
  readonly hasTables?: boolean;
}

/** ClickHouse on a free port. `users` are in addition to `username`, which creates the schema. */
export const testClickHouse = async ({
  users = [],
  sharded = clickHouseOfTests === 'shards',
  hasTables = true,
}: TestClickHouseOptions = {}): Promise<TestClickHouse> =>
  inFolder('clickhouse', async (dir) => {
    const operator = { user: 'operator', password: randomUUID() };
    const all = [operator, ...users];
    const start = async (): Promise<RunningServer & { cluster?: string | undefined }> => {
      if (sharded) return shardedClickHouse({ dir, users: all });
      const servers = hasTables ? await serversWithTables() : await testServers();
      return servers.clickhouse({ dir, users: all });
    };
    const server = await start();
    const login = { username: operator.user, password: operator.password };
    return { ...server, ...login, cluster: server.cluster };
  });

/** A stand-in for a cluster of ClickHouse with one shard, of which one replica can lag. */
export const testReplicas = async ({ users = [] }: TestClickHouseOptions = {}): Promise<
  TestClickHouse & LaggingReplica
> =>
  inFolder('replicas', async (dir) => {
    const operator = { user: 'operator', password: randomUUID() };
    const server = await replicatedClickHouse(dir, [operator, ...users]);
    return { ...server, username: operator.user, password: operator.password, cluster: shardedCluster };
  });

/** Settings for a client of the test object store. Its region is `us-east-1`, and buckets are addressed by path. */
export interface TestS3 extends TestServer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
}

/**
 * An S3 server on a free port with one empty bucket and one new key with all rights. `users` have the rights of the
 * bucket's policy.
 */
export const testS3 = async (options: { users?: readonly S3Credentials[] } = {}): Promise<TestS3> =>
  inFolder('s3', async (dir) => {
    const access = { accessKeyId: 'test', secretAccessKey: randomUUID(), bucket: 'test' };
    return { ...access, ...(await (await testServers()).s3({ dir, ...access, ...options })) };
  });

/** Unlike a spread, it leaves getters such as `pid`, which changes with a restart. */
const extended = <Server extends object, More extends object>(server: Server, more: More): Server & More => {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(server));
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(more)) as Server & More;
};

const inFolder = async <T extends { stop(): Promise<void> }>(
  name: string,
  start: (dir: string) => Promise<T>,
): Promise<T & { dir: string }> => {
  const dir = await mkdtemp(join(tmpdir(), `almanac-test-${name}-`));
  const remove = async (): Promise<void> => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const server = await start(dir);
    const stop = async (): Promise<void> => {
      try {
        await server.stop();
      } finally {
        await remove();
      }
    };
    return extended(server, { dir, stop });
  } catch (error) {
    await remove();
    throw error;
  }
};
