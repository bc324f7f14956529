import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClickHouse, connectClickHouse, rows } from '@almanac/clickhouse';
import { localServers, type RunningServer } from '@almanac/local-servers';
import { readText, repository } from './repository.js';

/** What the file reads from the environment of a server. */
const environment = { CLICKHOUSE_CLUSTER_SECRET: 'of-this-test', CLICKHOUSE_SHARD: '2', CLICKHOUSE_REPLICA: '3' };

describe('deploy/clickhouse/cluster/config.d/cluster.xml, read by the engine', () => {
  let dir: string;
  let server: RunningServer;
  let clickhouse: ClickHouse;
  before(async () => {
    Object.assign(process.env, environment);
    dir = await mkdtemp(join(tmpdir(), 'almanac-cluster-config-'));
    const login = { user: 'operator', password: 'of-this-test' };
    const file = join(repository, 'deploy/clickhouse/cluster/config.d/cluster.xml');
    server = await localServers.clickhouse({ dir, users: [login], engineArguments: [`--config-file=${file}`] });
    clickhouse = connectClickHouse({ url: server.url, username: login.user, password: login.password });
  });
  after(async () => {
    await clickhouse.close();
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    for (const name of Object.keys(environment)) delete process.env[name];
  });

  it('is a cluster of two shards of three replicas each', async () => {
    const sql = `SELECT shard_num, replica_num, host_name FROM system.clusters WHERE cluster = 'almanac'
      ORDER BY shard_num, replica_num`;
    const expected = [1, 2].flatMap((shard_num) =>
      [1, 2, 3].map((replica_num) => ({
        shard_num,
        replica_num,
        host_name: `clickhouse-${shard_num}-${replica_num}.example.com`,
      })),
    );
    assert.deepEqual(await rows(clickhouse, { sql }), expected);
  });

  it('names the server by its environment, with the macros of the tables', async () => {
    const sql = 'SELECT macro, substitution FROM system.macros ORDER BY macro';
    assert.deepEqual(await rows(clickhouse, { sql }), [
      { macro: 'replica', substitution: '3' },
      { macro: 'shard', substitution: '2' },
    ]);
  });

  it('asks the Keepers of keeper.xml', async () => {
    const hosts = (text: string): readonly string[] => [...new Set(text.match(/keeper-\d\.example\.com/g))];
    const keepers = hosts(await readText('deploy/clickhouse/cluster/keeper.xml'));
    assert.equal(keepers.length, 3);
    assert.deepEqual(hosts(await readText('deploy/clickhouse/cluster/config.d/cluster.xml')), keepers);
  });
});
