import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissionsOf, userNames } from '@almanac/bus';
import { clickHouseRights, connectClickHouse, migrate } from '@almanac/clickhouse';
import { localServers, type RunningProcess, type ServerStarters } from '@almanac/local';
import { connectObjectStore } from '@almanac/object-store';
import { redisRulesOf, redisUserNames } from '@almanac/redis';
import { type Secrets, writePrivate } from './secrets.js';

export const bucket = 'almanac';

export interface Infrastructure {
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly clickhouseUrl: string;
  readonly s3Url: string;
  readonly servers: readonly { name: string; process: RunningProcess }[];
  stop(): Promise<void>;
}

/** Subfolders of `home` with the data of the servers and the catalogue's copy. */
export const dataFolders = ['nats', 'redis', 'clickhouse', 's3', 'catalog'] as const;

export const startInfrastructure = async (
  home: string,
  secrets: Secrets,
  servers?: ServerStarters,
): Promise<Infrastructure> => {
  const infrastructure = await startServers(home, secrets, servers);
  try {
    await migrateSchema(infrastructure.clickhouseUrl, secrets);
    return infrastructure;
  } catch (error) {
    await infrastructure.stop();
    throw error;
  }
};

/** Starts nats-server, redis-server, ClickHouse and the object store, and creates the bucket, in folders of `home`. */
export const startServers = async (
  home: string,
  secrets: Secrets,
  servers: ServerStarters = localServers,
): Promise<Infrastructure> => {
  const started: { name: string; process: RunningProcess }[] = [];
  const stop = async () => {
    await Promise.all(started.map(({ process }) => process.stop()));
  };
  const track = async <Server extends RunningProcess>(name: string, starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    started.push({ name, process: server });
    return server;
  };
  const starting = [
    track('nats-server', servers.nats({ dir: join(home, 'nats'), users: natsUsers(secrets) })),
    track('redis-server', servers.redis({ dir: join(home, 'redis'), users: redisUsers(secrets) })),
    track('ClickHouse', clickHouse(home, secrets, servers)),
    track('the object store', objectStore(home, secrets, servers)),
  ] as const;
  // Waits for all, because a failed start must not leave the others running.
  await Promise.allSettled(starting);
  try {
    const [nats, redis, clickhouse, s3] = await Promise.all(starting);
    await makeBucket(s3.url, secrets);
    const urls = { natsUrl: nats.url, redisUrl: redis.url, clickhouseUrl: clickhouse.url, s3Url: s3.url };
    return { ...urls, servers: started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Access to ClickHouse with schema rights, and to the bucket with read and write rights. */
export const storesEnvironment = (
  { clickhouseUrl, s3Url }: Infrastructure,
  { clickhouse, s3 }: Secrets,
): Readonly<Record<string, string>> => ({
  CLICKHOUSE_URL: clickhouseUrl,
  CLICKHOUSE_USER: 'admin',
  CLICKHOUSE_PASSWORD: clickhouse.admin,
  S3_ENDPOINT: s3Url,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: s3.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
});

const natsUsers = (secrets: Secrets) =>
  userNames.map((user) => ({ user, password: secrets.nats[user], ...permissionsOf(user) }));

const redisUsers = ({ redis }: Secrets) =>
  redisUserNames.map((user) => ({ user, password: redis[user], rules: redisRulesOf(user) }));

const clickHouse = (home: string, { clickhouse }: Secrets, servers: ServerStarters) =>
  servers.clickhouse({
    dir: join(home, 'clickhouse'),
    users: [
      { user: 'admin', password: clickhouse.admin },
      { user: 'catalog', password: clickhouse.catalog, tables: clickHouseRights.catalog },
      { user: 'timeseries', password: clickhouse.timeseries, tables: clickHouseRights.timeseries },
      { user: 'export', password: clickhouse.export, tables: clickHouseRights.export },
    ],
  });

/** Uses the previous port if it is free, because signed links contain it. */
const objectStore = async (home: string, secrets: Secrets, servers: ServerStarters) => {
  const portFile = join(home, 's3.port');
  const options = { dir: join(home, 's3'), bucket, ...secrets.s3Root, users: [secrets.s3] };
  const last = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  const server = await servers.s3(last > 0 ? { ...options, port: last } : options).catch(async (error: unknown) => {
    if (last > 0 && error instanceof Error && error.name === 'PortTakenError') return servers.s3(options);
    throw error;
  });
  await writePrivate(portFile, String(server.port));
  return server;
};

/** Also sets the policy that admits the export service. */
const makeBucket = async (endpoint: string, { s3, s3Root }: Secrets): Promise<void> => {
  const objects = connectObjectStore({ endpoint, region: 'us-east-1', bucket, ...s3Root });
  try {
    await objects.ensureBucket(s3.accessKeyId);
  } finally {
    objects.close();
  }
};

const migrateSchema = async (url: string, { clickhouse }: Secrets): Promise<void> => {
  const client = connectClickHouse({ url, username: 'admin', password: clickhouse.admin, database: 'default' });
  try {
    await migrate(client);
  } finally {
    await client.close();
  }
};
