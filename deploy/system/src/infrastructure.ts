import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissionsOf, userNames } from '@almanac/bus';
import { connectClickHouse, migrate } from '@almanac/clickhouse';
import { type RunningProcess, startClickHouse, startNats, startRedis, startS3 } from '@almanac/local';
import { type Secrets, writePrivate } from './secrets.js';

export const bucket = 'almanac';

/** The servers that everything stands on, with how to reach them. */
export interface Infrastructure {
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly clickhouseUrl: string;
  readonly s3Url: string;
  readonly servers: readonly { name: string; process: RunningProcess }[];
  /** Ends all servers. */
  stop(): Promise<void>;
}

/** Starts nats-server, redis-server, ClickHouse and the object store in folders of `home`, and brings the schema up to date. */
export const startInfrastructure = async (home: string, secrets: Secrets): Promise<Infrastructure> => {
  const started: { name: string; process: RunningProcess }[] = [];
  const stop = async () => {
    await Promise.all(started.map(({ process }) => process.stop()));
  };
  const keep = async <Server extends RunningProcess>(name: string, starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    started.push({ name, process: server });
    return server;
  };
  const starting = [
    keep('nats-server', startNats({ dir: join(home, 'nats'), users: natsUsers(secrets) })),
    keep('redis-server', startRedis({ dir: join(home, 'redis'), password: secrets.redis })),
    keep('ClickHouse', clickHouse(home, secrets)),
    keep('the object store', objectStore(home, secrets)),
  ] as const;
  // One that failed must not leave the others running, so all starts are waited for.
  await Promise.allSettled(starting);
  try {
    const [nats, redis, clickhouse, s3] = await Promise.all(starting);
    await migrateSchema(clickhouse.url, secrets);
    const urls = { natsUrl: nats.url, redisUrl: redis.url, clickhouseUrl: clickhouse.url, s3Url: s3.url };
    return { ...urls, servers: started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const natsUsers = (secrets: Secrets) =>
  userNames.map((user) => ({ user, password: secrets.nats[user], ...permissionsOf(user) }));

const catalogueTables = ['series', 'events', 'markets'];

/** What each service may read and write, as the GRANTs of a real server. */
const clickHouse = (home: string, { clickhouse }: Secrets) =>
  startClickHouse({
    dir: join(home, 'clickhouse'),
    users: [
      { user: 'admin', password: clickhouse.admin },
      { user: 'catalog', password: clickhouse.catalog, tables: { read: ['snapshots'], write: catalogueTables } },
      { user: 'timeseries', password: clickhouse.timeseries, tables: { read: [], write: ['snapshots'] } },
      {
        user: 'export',
        password: clickhouse.export,
        readonly: true,
        tables: { read: ['snapshots', ...catalogueTables], write: [] },
      },
    ],
  });

/** On the port of the last time where it is free, since signed links name it. */
const objectStore = async (home: string, secrets: Secrets) => {
  const portFile = join(home, 's3.port');
  const options = { dir: join(home, 's3'), bucket, ...secrets.s3 };
  const last = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  const server = await startS3(last > 0 ? { ...options, port: last } : options).catch(async (error: unknown) => {
    if (last > 0 && error instanceof Error && error.name === 'PortTakenError') return startS3(options);
    throw error;
  });
  await writePrivate(portFile, String(server.port));
  return server;
};

const migrateSchema = async (url: string, { clickhouse }: Secrets): Promise<void> => {
  const client = connectClickHouse({ url, username: 'admin', password: clickhouse.admin, database: 'default' });
  try {
    await migrate(client);
  } finally {
    await client.close();
  }
};
