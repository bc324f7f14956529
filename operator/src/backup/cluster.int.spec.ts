import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { insertBytes, isSharded, migrate, rows, shardedTables } from '@almanac/clickhouse';
import { clickHouseProxy, testClickHouse, testS3 } from '@almanac/testing';
import { UsageError } from '../error-message.js';
import { copyTables } from './copy-stores.js';
import { writeFiles } from './files.js';
import type { Manifest } from './manifest.js';
import { requireSameShards, restoreClickHouse } from './restore-clickhouse.js';
import { connectStores, type Stores } from './stores.js';

interface Servers {
  readonly stores: Stores;
  /** The statements that ClickHouse got. */
  readonly sent: string[];
  stop(): Promise<void>;
}

const startServers = async (): Promise<Servers> => {
  const [server, s3] = await Promise.all([testClickHouse({ sharded: true }), testS3()]);
  const sent: string[] = [];
  const proxy = await clickHouseProxy(({ body }, forward) => {
    sent.push(body.toString());
    return forward(server.url);
  });
  const stores = connectStores({
    CLICKHOUSE_URL: proxy.url,
    CLICKHOUSE_CLUSTER: server.cluster,
    CLICKHOUSE_USER: server.username,
    CLICKHOUSE_PASSWORD: server.password,
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  return {
    stores,
    sent,
    stop: async () => {
      await stores.close();
      await proxy.stop();
      await Promise.all([server.stop(), s3.stop()]);
    },
  };
};

const print = (): void => undefined;

describe('a backup of a cluster of ClickHouse', { timeout: 240_000 }, () => {
  let source: Servers;
  let target: Servers;
  let folder = '';
  let clickhouse: Manifest['clickhouse'];
  let manifest: Manifest;
  before(async () => {
    [source, target] = await Promise.all([startServers(), startServers()]);
    folder = await mkdtemp(join(tmpdir(), 'almanac-cluster-'));
    await fill(source.stores);
    const files = await writeFiles(folder);
    clickhouse = await copyTables({ stores: source.stores, files, print });
    const nothing = { streams: [], positions: [], objects: { count: 0, bytes: 0 }, nats_version: '2.9.10' };
    manifest = { format: 1, started_us: 1, ended_us: 2, ...nothing, clickhouse, files: await files.finish() };
  });
  after(async () => {
    await Promise.all([source.stop(), target.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const insert = ({ clickhouse: to }: Stores, table: string, values: readonly Record<string, unknown>[]) =>
    insertBytes(to, {
      table,
      columns: Object.keys(values[0] ?? {}),
      format: 'JSONEachRow',
      body: Buffer.from(values.map((row) => JSON.stringify(row)).join('\n')),
    });
  const tickers = Array.from({ length: 40 }, (_, n) => `M${n}`);
  const fill = async (stores: Stores): Promise<void> => {
    await migrate(stores.clickhouse);
    const observed = tickers.map((ticker, n) => ({ ticker, series: 'S', ts: `2026-01-01 00:00:${10 + n}`, seq: n }));
    await insert(stores, 'snapshots', observed);
    // Merges do not run at once, so the same row is stored twice. A merge leaves the rows that are counted.
    await insert(stores, 'snapshots', observed);
    const trade = { ticker: 'M1', trade_id: '1', size: 1 };
    for (const price of [0.4, 0.5]) await insert(stores, 'trades', [{ ...trade, price }]);
    await insert(stores, 'markets', [{ ticker: 'M1', event_ticker: 'E', series: 'S', seq: 1 }]);
  };
  const read = ({ clickhouse: from }: Stores, sql: string): Promise<unknown[]> => rows(from, { sql });
  const archive = 'SELECT shardNum() AS shard, ticker, ts, seq FROM snapshots FINAL ORDER BY ticker';

  it('copies the rows of all shards, under the names of their tables', () => {
    assert.equal(clickhouse.shards, 2);
    const counts = new Map(clickhouse.tables.map((table) => [table.name, table.rows]));
    assert.equal(counts.get('snapshots'), tickers.length);
    assert.deepEqual([counts.get('trades'), counts.get('markets')], [1, 1]);
    for (const table of shardedTables) assert.ok(counts.has(table) && !counts.has(`${table}_local`), table);
  });

  it('restores each shard into a cluster with as many', async () => {
    await requireSameShards(manifest, target.stores);
    await restoreClickHouse({ folder, manifest }, { stores: target.stores, print });
    const expected = await read(source.stores, archive);
    assert.equal(expected.length, tickers.length);
    assert.deepEqual(await read(target.stores, archive), expected);
    assert.deepEqual(await read(target.stores, 'SELECT ticker FROM markets FINAL'), [{ ticker: 'M1' }]);
  });

  it('runs ClickHouse BACKUP and RESTORE once on the whole cluster, of the tables that store rows', async () => {
    for (const [{ sent, stores }, word] of [
      [source, 'BACKUP'],
      [target, 'RESTORE'],
    ] as const) {
      const [sql = '', ...others] = sent.filter((statement) => statement.startsWith(`${word} `));
      assert.equal(others.length, 0);
      assert.match(sql, / ON CLUSTER 'almanac' (?:TO|FROM) S3\(/);
      const copied = [...sql.matchAll(/TABLE `default`\.`(\w+)`/g)].map(([, table = '']) => table);
      assert.ok(copied.includes('snapshots_local') && !copied.some((table) => isSharded(table)), copied.join());
      await rows(stores.clickhouse, { sql: 'SELECT formatQuery({sql:String}) AS sql', params: { sql } });
    }
  });

  it('is refused by one server, and by a cluster with another number of shards or a later schema', async () => {
    const refused = (changes: Partial<Manifest['clickhouse']>, stores: Stores, sentence: RegExp): Promise<void> =>
      assert.rejects(
        requireSameShards({ ...manifest, clickhouse: { ...clickhouse, ...changes } }, stores),
        (error) => error instanceof UsageError && sentence.test(error.message),
      );
    const single = connectStores({ ...target.stores.config, CLICKHOUSE_CLUSTER: '' });
    await refused({}, single, /is of a cluster of 2 shards, but this is one server of ClickHouse/);
    await refused({ shards: 3 }, target.stores, /is of a cluster of 3 shards, but this is a cluster of 2 shards/);
    await refused({ shards: undefined }, target.stores, /is of one server of ClickHouse, but this is a cluster/);
    await refused({ schema: clickhouse.schema.slice(0, -1) }, target.stores, /older version: it has no migration/);
    await requireSameShards({ ...manifest, clickhouse: { ...clickhouse, shards: undefined } }, single);
    await single.close();
  });

  it('fails with the reason of ClickHouse', async () => {
    const stores = { ...source.stores, config: { ...source.stores.config, S3_BUCKET: 'none' } };
    const files = await writeFiles(await mkdtemp(join(folder, 'failed-')));
    await assert.rejects(copyTables({ stores, files, print }), /ClickHouse stopped with an error/);
  });
});
