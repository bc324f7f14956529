import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { testClickHouse, type TestClickHouse } from '@almanac/testing';
import { type ClickHouse, command, connectClickHouse, insertBytes, migrate, rows } from './index.js';

let server: TestClickHouse;
let clickhouse: ClickHouse;
before(async () => {
  server = await testClickHouse();
  clickhouse = connectClickHouse(server);
  await migrate(clickhouse);
});
after(async () => {
  await clickhouse.close();
  await server.stop();
});

it('are created again by migrations, since a restored backup has none', async () => {
  await command(clickhouse, { sql: 'DROP VIEW markets_by_close_tail' });
  assert.deepEqual(await migrate(clickhouse), []);
  const body = Buffer.from(JSON.stringify({ ticker: 'V', venue_status: 'open', close_us: 7, seq: 1 }));
  const columns = ['ticker', 'venue_status', 'close_us', 'seq'];
  await insertBytes(clickhouse, { table: 'markets', columns, format: 'JSONEachRow', body });
  assert.deepEqual(
    await rows(clickhouse, { sql: `SELECT ticker, close_key, known FROM markets_by_close WHERE ticker = 'V'` }),
    [{ ticker: 'V', close_key: 7, known: false }],
  );
});
