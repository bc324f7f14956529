import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clusterStatements } from './cluster-sql.js';

const options = { cluster: 'almanac', database: 'archive' };
const onCluster = (statement: string): readonly string[] => clusterStatements(statement, options);

describe('a statement of a migration on a cluster', () => {
  it('makes a table that all servers copy', () => {
    assert.deepEqual(
      onCluster(`-- Why.
-- It is so.
CREATE TABLE IF NOT EXISTS series
(
    id   String, -- ENGINE of nothing
    seq  UInt64
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY id
SETTINGS index_granularity = 1024`),
      [
        `CREATE TABLE IF NOT EXISTS series ON CLUSTER 'almanac'
(
    id   String, -- ENGINE of nothing
    seq  UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}', '{shard}-{replica}', seq)
ORDER BY id
SETTINGS index_granularity = 1024`,
      ],
    );
  });

  it('makes a table of rows of markets as one part on each shard, and a table over them', () => {
    assert.deepEqual(
      onCluster('CREATE TABLE IF NOT EXISTS trades (ticker String)\nENGINE = AggregatingMergeTree\nORDER BY ticker'),
      [
        `CREATE TABLE IF NOT EXISTS trades_local ON CLUSTER 'almanac' (ticker String)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY ticker`,
        `CREATE TABLE IF NOT EXISTS trades ON CLUSTER 'almanac' AS trades_local ENGINE = Distributed('almanac', 'archive', 'trades_local', cityHash64(ticker))`,
      ],
    );
  });

  it('changes a copied table once, a sharded one on each shard, and the columns of its Distributed table', () => {
    const column = 'ADD COLUMN IF NOT EXISTS x UInt8 AFTER ticker';
    assert.deepEqual(onCluster(`ALTER TABLE markets ${column}`), [`ALTER TABLE markets ${column}`]);
    assert.deepEqual(onCluster(`ALTER TABLE snapshots ${column}`), [
      `ALTER TABLE snapshots_local ON CLUSTER 'almanac' ${column}`,
      `ALTER TABLE snapshots ON CLUSTER 'almanac' ${column}`,
    ]);
    assert.deepEqual(onCluster('ALTER TABLE snapshots MATERIALIZE COLUMN x'), [
      `ALTER TABLE snapshots_local ON CLUSTER 'almanac' MATERIALIZE COLUMN x`,
    ]);
  });

  it('makes views on all servers, materialized ones from and to what a server stores', () => {
    assert.deepEqual(onCluster('CREATE VIEW IF NOT EXISTS v AS SELECT * FROM snapshots'), [
      `CREATE VIEW IF NOT EXISTS v ON CLUSTER 'almanac' AS SELECT * FROM snapshots`,
    ]);
    assert.deepEqual(onCluster('CREATE MATERIALIZED VIEW IF NOT EXISTS v TO gaps AS SELECT * FROM snapshots'), [
      `CREATE MATERIALIZED VIEW IF NOT EXISTS v ON CLUSTER 'almanac' TO gaps_local AS SELECT * FROM snapshots_local`,
    ]);
  });

  it('copies rows through the tables that services use, and refuses what it does not know', () => {
    const insert = 'INSERT INTO recorded_spans (ticker) SELECT ticker FROM snapshots';
    const wait = 'SELECT sleepEachRow(3) FROM (SELECT 1 FROM markets LIMIT 1)';
    for (const statement of [insert, wait]) assert.deepEqual(onCluster(statement), [statement]);
    assert.throws(() => onCluster('DROP TABLE snapshots'), /no form/);
    assert.throws(() => onCluster('CREATE TABLE IF NOT EXISTS t (a UInt8) ENGINE = Memory'), /MergeTree/);
  });
});
