import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHealth, readiness } from '@almanac/runtime';
import { testClickHouse, type TestClickHouse } from '@almanac/testing';
import { diskFault, newerSchema, schemaFault } from './checks.js';
import { clickHouseFromConfig } from './connect-from-config.js';
import { type ClickHouse, connectClickHouse } from './connect.js';
import { migrate } from './migrate.js';
import { command } from './query.js';
import { clickHouseRights, type ClickHouseService } from './rights.js';

const services = ['catalog', 'timeseries', 'export'] as const satisfies readonly ClickHouseService[];
const password = 'a password of the tests';

describe('the ClickHouse checks of a service', () => {
  let server: TestClickHouse;
  let admin: ClickHouse;
  const clients = new Map<string, ClickHouse>();
  before(async () => {
    const users = services.map((user) => ({ user, password, tables: clickHouseRights[user] }));
    server = await testClickHouse({ users });
    admin = connectClickHouse({ url: server.url, username: server.username, password: server.password });
    for (const username of services) clients.set(username, connectClickHouse({ url: server.url, username, password }));
    await migrate(admin);
  });
  after(async () => {
    await Promise.all([admin, ...clients.values()].map((client) => client.close()));
    await server.stop();
  });
  it('find a matching schema and a disk with free space, with the permissions of the service', async () => {
    for (const client of clients.values()) {
      assert.deepEqual([await schemaFault(client), await newerSchema(client)], [null, null]);
      const fault = await diskFault(client);
      assert.ok(fault === null || fault.startsWith('the disk default has '), fault ?? '');
    }
  });

  it('name the migrations of a newer schema, and stay ready', async () => {
    const later = '999_later.sql';
    const sql = `INSERT INTO schema_migrations (number, name, checksum) SELECT 999, {later:String}, 'x'`;
    await command(admin, { sql, params: { later } });
    const health = createHealth();
    health.serving = true;
    const config = { CLICKHOUSE_URL: server.url, CLICKHOUSE_USER: 'catalog', CLICKHOUSE_PASSWORD: password };
    const options = { application: 'test' };
    const onStop = (): void => undefined;
    const client = clickHouseFromConfig({ ...config, CLICKHOUSE_DATABASE: 'default' }, { health, onStop }, options);
    const { ready, degraded = {} } = await readiness(health);
    await client.close();
    assert.equal(ready, true);
    assert.equal(degraded['clickhouse_schema'], `the schema is newer than this release: it has ${later}`);
  });
});
