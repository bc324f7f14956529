import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { testClickHouse, type TestClickHouse } from '@almanac/testing';
import {
  type ClickHouse,
  clusterStatements,
  command,
  connectClickHouse,
  dropShadows,
  exchangeShadows,
  insertBytes,
  isServerError,
  makeShadows,
  migrate,
  MigrationError,
  rows,
  shadowOf,
  shardedTables,
} from './index.js';
import { readMigrations } from './migrate.js';

const folder = fileURLToPath(new URL('../migrations/', import.meta.url));

/** On shard 1 and on shard 2 of two, by cityHash64. */
const [first, second] = ['M0', 'M3'];

describe('the tables of a cluster', () => {
  let server: TestClickHouse;
  let clickhouse: ClickHouse;
  let single: ClickHouse;

  before(async () => {
    server = await testClickHouse({ sharded: true });
    const { url, username, password, cluster } = server;
    clickhouse = connectClickHouse({ url, username, password, cluster });
    single = connectClickHouse({ url, username, password });
    await Promise.all([migrate(clickhouse), migrate(clickhouse)]);
  });
  after(async () => {
    await Promise.all([clickhouse.close(), single.close()]);
    await server.stop();
  });

  const store = (...tickers: readonly string[]): Promise<number> =>
    insertBytes(clickhouse, {
      table: 'snapshots',
      columns: ['ticker', 'series', 'ts'],
      format: 'JSONEachRow',
      body: Buffer.from(
        tickers.map((ticker) => JSON.stringify({ ticker, series: 'S', ts: '2026-01-01 00:00:00' })).join('\n'),
      ),
    });
  const text = async (sql: string, params = {}): Promise<string> => {
    const found = await rows(clickhouse, { sql, params });
    return found.map((row) => Object.values(row as Record<string, unknown>).join('\t')).join('\n');
  };

  it('are what the migrations say, in statements that the engine accepts with replicated engines', async () => {
    const options = { cluster: 'almanac', database: 'default' };
    const statements = (await readMigrations(folder)).flatMap((migration) => migration.statements);
    const made = statements.flatMap((statement) => clusterStatements(statement, options));
    assert.ok(made.length > statements.length);
    for (const sql of made) await rows(clickhouse, { sql: 'SELECT formatQuery({sql:String}) AS sql', params: { sql } });
    const engines = made.flatMap((sql) => /ENGINE = (\w+)/.exec(sql)?.[1] ?? []);
    assert.ok(
      engines.every((name) => /^(Replicated\w*MergeTree|Distributed)$/.test(name)),
      engines.join(),
    );
  });

  it('are made once by several processes, and differ from those of one server in the sharded ones only', async () => {
    assert.deepEqual(await migrate(clickhouse), []);
    const sql = "SELECT name FROM system.tables WHERE database = 'default' AND engine = 'Distributed' ORDER BY name";
    assert.equal(await text(sql), [...shardedTables].toSorted().join('\n'));
    const columns = 'SELECT groupArray((name, type, default_kind)) FROM system.columns WHERE table = {table:String}';
    for (const table of shardedTables) {
      assert.equal(await text(columns, { table }), await text(columns, { table: `${table}_local` }), table);
    }
  });

  it('have all rows of a market on one shard, and a query for it goes to that shard only', async () => {
    await store(first, second, first);
    const shards =
      'SELECT shardNum() AS shard, groupUniqArray(ticker) AS tickers FROM snapshots GROUP BY shard ORDER BY shard';
    assert.equal(await text(shards), `1\t${first}\n2\t${second}`);
    const touched = async (where: string): Promise<number> =>
      (await text(`EXPLAIN SELECT ts FROM snapshots FINAL WHERE ${where}`)).split('ReadFromMergeTree').length - 1;
    assert.equal(await touched('1'), 2);
    assert.equal(await touched(`ticker = '${first}'`), 1);
    assert.equal(await touched(`ticker IN ('${first}', '${second}')`), 2);
    assert.equal(
      await text('SELECT count() AS n FROM snapshots FINAL WHERE ticker IN (SELECT ticker FROM snapshots)'),
      '2',
    );
  });

  it('store nothing of a market whose shard does not answer, and the insert may be repeated later', async () => {
    // Shard 2 is this engine by another name, at which no server answers.
    await command(single, {
      sql: `CREATE TABLE broken AS snapshots_local ENGINE =
        Distributed('half', 'default', 'snapshots_local', cityHash64(ticker))`,
    });
    const insert = (ticker: string): Promise<number> =>
      insertBytes(clickhouse, {
        table: 'broken',
        columns: ['ticker', 'series', 'ts'],
        format: 'JSONEachRow',
        body: Buffer.from(JSON.stringify({ ticker, series: 'S', ts: '2026-01-02 00:00:00' })),
      });
    await insert(first);
    await assert.rejects(insert(second), (error) => isServerError(error));
    const stored =
      "SELECT ticker FROM snapshots_local WHERE ts >= '2026-01-02 00:00:00' SETTINGS additional_table_filters = {}";
    assert.deepEqual(await rows(single, { sql: stored }), [{ ticker: first }]);
    await assert.rejects(rows(clickhouse, { sql: 'SELECT count() FROM broken' }), (error) => isServerError(error));
    assert.equal(await text(`SELECT count() AS n FROM broken WHERE ticker = '${first}'`), '2');
    await command(single, { sql: 'DROP TABLE broken' });
  });

  it('are exchanged by a rebuild', async () => {
    const insert = (table: string, title: string): Promise<number> =>
      insertBytes(clickhouse, {
        table,
        columns: ['event_ticker', 'title', 'seq'],
        format: 'JSONEachRow',
        body: Buffer.from(JSON.stringify({ event_ticker: 'E', title, seq: title === 'old' ? 1 : 2 })),
      });
    await insert('events', 'old');
    await makeShadows(clickhouse, ['events']);
    await insert(shadowOf('events'), 'new');
    await exchangeShadows(clickhouse, ['events']);
    await dropShadows(clickhouse, ['events']);
    assert.equal(await text('SELECT title FROM events FINAL'), 'new');
    assert.equal(await text("SELECT name FROM system.tables WHERE name LIKE '%rebuild%' AND name != 'rebuilds'"), '');
  });

  it('are not made of those of one server', async () => {
    await command(single, { sql: 'CREATE DATABASE one' });
    const { url, username, password, cluster } = server;
    const one = connectClickHouse({ url, username, password, database: 'one' });
    const asCluster = connectClickHouse({ url, username, password, database: 'one', cluster });
    await command(one, { sql: 'CREATE TABLE snapshots (ts DateTime) ENGINE = MergeTree ORDER BY ts' });
    await assert.rejects(migrate(asCluster), MigrationError);
    await Promise.all([one.close(), asCluster.close()]);
  });
});
