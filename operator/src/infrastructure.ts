import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { natsAccounts } from '@almanac/bus';
import { clickHouseRights, clickHouseServices, connectClickHouse, migrate, migrationMsMax } from '@almanac/clickhouse';
import { processNames, serviceRows } from '@almanac/contracts';
import {
  LocalServerError,
  localServers,
  type RunningProcess,
  type RunningServer,
  type ServerStarters,
} from '@almanac/local-servers';
import { connectObjectStore } from '@almanac/object-store';
import { redisRulesOf, redisUserNames } from '@almanac/redis';
import { partitionsIn } from './partitions.js';
import { type Secrets, writePrivate } from './secrets.js';
import { type Starter, supervise, type SupervisorOptions } from './supervise.js';

export const bucket = 'almanac';

export interface Infrastructure {
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly clickhouseUrl: string;
  /** Only tests have a cluster. */
  readonly clickhouseCluster: string | undefined;
  readonly s3Url: string;
  /** Those that run now. */
  readonly servers: readonly { name: ServerName; process: RunningProcess }[];
  /** Ends a server that runs but does not work, and restarts it like one that died. */
  restart(name: ServerName, reason: string): Promise<void>;
  stop(): Promise<void>;
}

export const serverNames = ['nats-server', 'redis-server', 'ClickHouse', 'the object store'] as const;
export type ServerName = (typeof serverNames)[number];

export interface InfrastructureOptions extends SupervisorOptions {
  /** How the servers are started. Default: as programs of this machine. */
  readonly servers?: ServerStarters | undefined;
}

/** Subfolders of `home` with the data of the servers and the folders of services. */
export const dataFolders: readonly string[] = [
  'nats',
  'redis',
  'clickhouse',
  's3',
  ...processNames.filter((name) => serviceRows[name].folder !== undefined),
];

export const startInfrastructure = async (
  home: string,
  secrets: Secrets,
  options: InfrastructureOptions,
): Promise<Infrastructure> => {
  const infrastructure = await startServers(home, secrets, options);
  try {
    await migrateSchema(infrastructure, secrets);
    return infrastructure;
  } catch (error) {
    await infrastructure.stop();
    throw error;
  }
};

/**
 * Starts nats-server, redis-server, ClickHouse and the object store in folders of `home`, and creates the bucket. A server
 * that dies is restarted on its port and folder.
 */
export const startServers = async (
  home: string,
  secrets: Secrets,
  { servers = localServers, ...options }: InfrastructureOptions,
): Promise<Infrastructure> => {
  const { partitions } = partitionsIn(process.env);
  let clickhouseCluster: string | undefined;
  const starters: Record<ServerName, Starter<RunningServer>> = {
    'nats-server': onItsPort((at) =>
      servers.nats({
        ...at,
        dir: join(home, 'nats'),
        accounts: natsAccounts((user) => secrets.nats[user], {}, partitions),
      }),
    ),
    'redis-server': onItsPort((at) => servers.redis({ ...at, dir: join(home, 'redis'), users: redisUsers(secrets) })),
    ClickHouse: onItsPort(async (at) => {
      const server = await servers.clickhouse({ ...at, ...clickHouseOptions(home, secrets) });
      clickhouseCluster = server.cluster;
      return server;
    }),
    'the object store': onItsPort((at) => objectStore(at, { home, secrets, servers })),
  };
  const supervised = supervise(new Map(serverNames.map((name) => [name, starters[name]])), options);
  const urlOf = (name: ServerName): string => {
    const server = supervised.running.get(name);
    if (server === undefined) throw new LocalServerError(`${name} ended during the start.`);
    return server.url;
  };
  try {
    await supervised.startAll();
    const urls = {
      natsUrl: urlOf('nats-server'),
      redisUrl: urlOf('redis-server'),
      clickhouseUrl: urlOf('ClickHouse'),
      s3Url: urlOf('the object store'),
    };
    await makeBucket(urls.s3Url, secrets);
    return {
      ...urls,
      clickhouseCluster,
      get servers() {
        return serverNames.flatMap((name) => {
          const process = supervised.running.get(name);
          return process === undefined ? [] : [{ name, process }];
        });
      },
      restart: (name, reason) => supervised.restart(name, reason),
      stop: () => supervised.stop(),
    };
  } catch (error) {
    await supervised.stop();
    throw error;
  }
};

interface StartAt {
  readonly port?: number;
  readonly stopping: AbortSignal;
}

/** A restart uses the port of the first start, which clients know. */
const onItsPort = (start: (at: StartAt) => Promise<RunningServer>): Starter<RunningServer> => {
  let port: number | undefined;
  return async (stopping) => {
    const server = await start(port === undefined ? { stopping } : { stopping, port });
    ({ port } = server);
    return server;
  };
};

export const clickHouseAddress = ({
  clickhouseUrl,
  clickhouseCluster,
}: Infrastructure): Readonly<Record<string, string>> => ({
  CLICKHOUSE_URL: clickhouseUrl,
  ...(clickhouseCluster === undefined ? {} : { CLICKHOUSE_CLUSTER: clickhouseCluster }),
});

/** Access to ClickHouse with schema rights, and to the bucket with read and write rights. */
export const storesEnvironment = (
  infrastructure: Infrastructure,
  { clickhouse, s3 }: Secrets,
): Readonly<Record<string, string>> => ({
  ...clickHouseAddress(infrastructure),
  CLICKHOUSE_USER: 'admin',
  CLICKHOUSE_PASSWORD: clickhouse.admin,
  S3_ENDPOINT: infrastructure.s3Url,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: s3.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
});

const redisUsers = ({ redis }: Secrets) =>
  redisUserNames.map((user) => ({ user, password: redis[user], rules: redisRulesOf(user) }));

const clickHouseOptions = (home: string, { clickhouse }: Secrets) => ({
  dir: join(home, 'clickhouse'),
  users: [
    { user: 'admin', password: clickhouse.admin },
    ...clickHouseServices.map((user) => ({ user, password: clickhouse[user], tables: clickHouseRights[user] })),
  ],
});

/** The first start uses the port of the previous run if it is free, because signed links contain it. */
const objectStore = async (
  { port, stopping }: StartAt,
  { home, secrets, servers }: { home: string; secrets: Secrets; servers: ServerStarters },
) => {
  const options = { dir: join(home, 's3'), bucket, ...secrets.s3Root, users: [secrets.s3, secrets.s3Slabs], stopping };
  if (port !== undefined) return servers.s3({ ...options, port });
  const portFile = join(home, 's3.port');
  const last = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  const server = await servers.s3(last > 0 ? { ...options, port: last } : options).catch(async (error: unknown) => {
    if (last > 0 && error instanceof Error && error.name === 'PortTakenError') return servers.s3(options);
    throw error;
  });
  if (server.port !== last) await writePrivate(portFile, String(server.port));
  return server;
};

/** Also sets the policy that admits export and timeseries. */
const makeBucket = async (endpoint: string, { s3, s3Slabs, s3Root }: Secrets): Promise<void> => {
  const objects = connectObjectStore({ endpoint, region: 'us-east-1', bucket, ...s3Root });
  try {
    await objects.ensureBucket({ all: s3.accessKeyId, slabs: s3Slabs.accessKeyId });
  } finally {
    objects.close();
  }
};

const migrateSchema = async (
  { clickhouseUrl: url, clickhouseCluster: cluster }: Infrastructure,
  { clickhouse }: Secrets,
): Promise<void> => {
  const client = connectClickHouse({
    url,
    cluster,
    username: 'admin',
    password: clickhouse.admin,
    requestTimeoutMs: migrationMsMax,
  });
  try {
    await migrate(client);
  } finally {
    await client.close();
  }
};
