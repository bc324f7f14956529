import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouseOptions, localServers, type RunningServer } from '@almanac/local-servers';
import { clickHouseProxy } from './clickhouse-proxy.js';

/** The name of the stand-in's cluster. */
export const shardedCluster = 'almanac';

/**
 * A stand-in for a cluster of two shards, because the engine of the tests has no servers beside it and no Keeper.
 *
 * The engine runs true Distributed tables over two shards. Both are this engine, so each reads, of the tables that store
 * rows, only those of its markets: a query that leaves out a needed shard, or asks both for the same, answers wrongly.
 * Statements `ON CLUSTER` run once, and replicated engines are plain. So replication is not tested here.
 */
export const shardedClickHouse = async ({
  dir,
  users,
  port,
}: ClickHouseOptions): Promise<RunningServer & { cluster: string }> => {
  await mkdir(dir, { recursive: true });
  const configuration = join(dir, 'cluster.xml');
  await writeFile(configuration, clusterConfiguration(2));
  const filters = shardedTables.map((table) => `'default.${table}_local':'cityHash64(ticker) % 2 + 1 = shardNum()'`);
  const engineArguments = [`--config-file=${configuration}`, `--additional_table_filters={${filters.join(',')}}`];
  const server = await localServers.clickhouse({ dir, users, engineArguments });
  const proxy = await clickHouseProxy(
    ({ body }, forward) =>
      forward(server.url, schemaChange.test(body.subarray(0, 200).toString()) ? { body: onOneServer(body) } : {}),
    port,
  );
  return {
    ...server,
    url: proxy.url,
    port: proxy.port,
    cluster: shardedCluster,
    stop: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
};

/** As in libs/clickhouse, which uses this library. */
export const shardedTables = ['snapshots', 'trades', 'recorded_spans', 'gaps', 'venue_candles'];

/** A replica with the port of this engine is the engine itself. In the cluster `half`, the second shard is down. */
const shard = `<shard><internal_replication>true</internal_replication>
      <replica><host>127.0.0.1</host><port>9000</port></replica></shard>`;
export const clusterConfiguration = (shards: number): string => `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers><${shardedCluster}>
    ${Array.from({ length: shards }, () => shard).join('\n    ')}
  </${shardedCluster}><half>
    ${shard}
    ${shard.replace('9000', '1')}
  </half></remote_servers>
</clickhouse>
`;

export const schemaChange = /^\s*(?:CREATE|ALTER|DROP|EXCHANGE|OPTIMIZE|BACKUP|RESTORE)\b/;

export const onOneServer = (body: Buffer): Buffer =>
  Buffer.from(
    body
      .toString()
      .replaceAll(/ ON CLUSTER '[^']*'/g, '')
      .replaceAll(/\bReplicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/g, '$1('),
  );
