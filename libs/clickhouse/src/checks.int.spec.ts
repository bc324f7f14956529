import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHealth, createLogger, type Health, readiness } from '@almanac/runtime';
import { eventually, killableClickHouse } from '@almanac/testing';
import { diskFault, newerSchema, schemaFault } from './checks.js';
import { clickHouseFromConfig } from './connect-from-config.js';
import { type ClickHouse, connectClickHouse } from './connect.js';
import { migrate } from './migrate.js';
import { command, rows } from './query.js';
import { clickHouseRights, clickHouseServices } from './rights.js';
import { isServerError } from './server-errors.js';

const password = 'a-secret-that-no-sentence-may-hold';

describe('a process that uses ClickHouse', { timeout: 240_000 }, () => {
  let server: Awaited<ReturnType<typeof killableClickHouse>>;
  let operator: ClickHouse;
  const health = createHealth();
  const stops: (() => Promise<void> | void)[] = [];

  const connect = (secret: string, own: Health): ClickHouse =>
    clickHouseFromConfig(
      {
        CLICKHOUSE_URL: server.url,
        CLICKHOUSE_USER: 'catalog',
        CLICKHOUSE_PASSWORD: secret,
        CLICKHOUSE_DATABASE: 'default',
      },
      { health: own, log: createLogger('test', 'silent'), onStop: (_, stop) => void stops.push(stop) },
      { application: 'test' },
    );
  const state = async (): Promise<string | undefined> => (await readiness(health)).checks['clickhouse'];

  before(async () => {
    const users = clickHouseServices.map((user) => ({ user, password, tables: clickHouseRights[user] }));
    server = await killableClickHouse({ users });
    operator = connectClickHouse({ url: server.url, username: server.username, password: server.password });
    health.serving = true;
    connect(password, health);
  });
  after(async () => {
    for (const stop of stops) await stop();
    await operator.close();
    await server.stop();
  });

  it('is not ready on an older schema, names the missing migrations, and is ready once they are applied', async () => {
    await eventually(async () =>
      assert.match((await state()) ?? '', /^the schema lacks 001_snapshots\.sql, .*: run the/),
    );
    await migrate(operator);
    await eventually(async () => assert.equal(await state(), 'ok'));
  });

  it('is not ready while ClickHouse is unavailable, and is ready again when it returns', async () => {
    await server.kill();
    await eventually(async () => assert.match((await state()) ?? '', /ECONNREFUSED/));
    await server.startAgain();
    await eventually(async () => assert.equal(await state(), 'ok'));
  });

  it('finds a matching schema and a disk with free space, with the permissions of its service', async () => {
    for (const username of clickHouseServices) {
      const client = connectClickHouse({ url: server.url, username, password });
      assert.deepEqual([await schemaFault(client), await newerSchema(client)], [null, null]);
      const fault = await diskFault(client);
      assert.ok(fault === null || fault.startsWith('the disk default has '), fault ?? '');
      await client.close();
    }
  });

  it('reports a refused password without printing it', async () => {
    const other = createHealth();
    connect(`${password}-of-yesterday`, other);
    const { clickhouse = '' } = (await readiness(other)).checks;
    assert.match(clickhouse, /catalog: Authentication failed/);
    assert.ok(!clickhouse.includes(password));
  });

  it('tells errors of the server from errors of its own statement', async () => {
    const refused = connect('wrong', createHealth());
    const unknown = { sql: 'SELECT ticker FROM a_table_of_the_next_release' };
    const failure = (pendingResult: Promise<unknown>): Promise<unknown> =>
      pendingResult.then(
        () => assert.fail('it was answered'),
        (error: unknown) => error,
      );
    assert.ok(isServerError(await failure(rows(refused, { sql: 'SELECT 1' }))));
    assert.ok(isServerError(await failure(rows(operator, unknown))));
    assert.ok(isServerError(await failure(rows(operator, { sql: 'SELECT no_such_column FROM snapshots' }))));
    assert.ok(!isServerError(await failure(rows(operator, { sql: 'SELECT FROM WHERE' }))));
    assert.ok(!isServerError(new Error('anything else')));
  });

  it('names the migrations of a newer schema, and stays ready', async () => {
    const later = '999_later.sql';
    const sql = `INSERT INTO schema_migrations (number, name, checksum) SELECT 999, {later:String}, 'x'`;
    await command(operator, { sql, params: { later } });
    const other = createHealth();
    other.serving = true;
    connect(password, other);
    const { ready, degraded = {} } = await readiness(other);
    assert.equal(ready, true);
    assert.equal(degraded['clickhouse_schema'], `the schema is newer than this release: it has ${later}`);
  });
});
