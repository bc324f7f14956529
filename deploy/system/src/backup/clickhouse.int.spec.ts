import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, connectClickHouse, migrate } from '@almanac/clickhouse';
import { startClickHouse } from '@almanac/local';
import { describeTables } from './clickhouse.js';

test('a backup states the rows that a merge leaves, so that a restore after one has as many', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'almanac-tables-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const admin = { user: 'admin', password: 'tables' };
  const server = await startClickHouse({ dir, users: [admin] });
  t.after(() => server.stop());
  const clickhouse = connectClickHouse({ url: server.url, username: admin.user, password: admin.password });
  t.after(() => clickhouse.close());
  await migrate(clickhouse);
  const rowsOf = async () => {
    const { tables } = await describeTables({ clickhouse, config: { CLICKHOUSE_DATABASE: 'default' } });
    return ['snapshots', 'trades'].map((name) => tables.find((table) => table.name === name)?.rows);
  };
  for (const table of ['snapshots', 'trades']) await command(clickhouse, { sql: `SYSTEM STOP MERGES ${table}` });
  for (const price of [0.4, 0.5]) {
    await command(clickhouse, {
      sql: `INSERT INTO trades (ticker, trade_id, price, size) VALUES ('A', '1', ${price}, 1)`,
    });
    await command(clickhouse, { sql: `INSERT INTO snapshots (ticker, ts, yes_best_bid) VALUES ('A', 1, ${price})` });
  }
  assert.deepEqual(await rowsOf(), [1, 1]);
  for (const table of ['snapshots', 'trades']) {
    await command(clickhouse, { sql: `SYSTEM START MERGES ${table}` });
    await command(clickhouse, { sql: `OPTIMIZE TABLE ${table} FINAL` });
  }
  assert.deepEqual(await rowsOf(), [1, 1]);
});
