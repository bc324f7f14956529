import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import {
  clickHouseRights,
  connectClickHouse,
  dropShadows,
  exchangeShadows,
  isSharded,
  makeShadows,
  migrate,
} from '@almanac/clickhouse';
import { readText } from './repository.js';
import { covers, grantsInFile, rightsNeededFor } from './rights/clickhouse-grants.js';

const rebuilt = [...clickHouseRights.catalog.write, ...clickHouseRights.export.write];

/** What the migrations and a rebuild send to ClickHouse. Whoever answers has no tables and accepts everything. */
const statementsOfSchema = async (cluster: string | undefined): Promise<readonly string[]> => {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      // An insert has its statement in the address, and its rows in the body.
      const sql = new URL(request.url ?? '', 'http://localhost').searchParams.get('query') ?? body;
      sent.push(sql.replaceAll(/--.*$/gm, '').trim());
      response.writeHead(200, { 'X-ClickHouse-Summary': '{"written_rows":"1"}' }).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clickhouse = connectClickHouse({ url: `http://127.0.0.1:${port}`, username: 'migrate', password: '', cluster });
  try {
    await migrate(clickhouse);
    await dropShadows(clickhouse, rebuilt);
    await makeShadows(clickhouse, rebuilt);
    await exchangeShadows(clickhouse, rebuilt);
    await dropShadows(clickhouse, rebuilt);
    return sent;
  } finally {
    await clickhouse.close();
    server.close();
  }
};

for (const { name, sharded, folder } of [
  { name: 'one server', sharded: false, folder: 'deploy/clickhouse' },
  { name: 'a cluster', sharded: true, folder: 'deploy/clickhouse/cluster' },
]) {
  describe(`the grants on ${name}`, () => {
    let grants: ReadonlyMap<string, readonly string[]>;
    let sent: readonly string[];
    const of = (user: string): readonly string[] => grants.get(user) ?? assert.fail(`there is no user ${user}`);
    before(async () => {
      grants = grantsInFile(await readText(`${folder}/users.d/almanac.xml`));
      sent = await statementsOfSchema(sharded ? 'almanac' : undefined);
    });

    it('let migrate run each statement of the migrations and of a rebuild', () => {
      assert.ok(sent.length > 60, `${sent.length} statements`);
      assert.equal(
        sent.some((sql) => sql.includes(' ON CLUSTER ')),
        sharded,
      );
      for (const sql of sent) for (const right of rightsNeededFor(sql)) assert.ok(covers(of('migrate'), right), right);
    });

    it('let migrate use all of a cluster only where there is one, and drop no table of observations', () => {
      assert.equal(covers(of('migrate'), 'CLUSTER ON *.*'), sharded);
      assert.equal(covers(of('migrate'), 'REMOTE ON *.*'), sharded);
      for (const table of ['snapshots', 'snapshots_local', 'trades_local', 'recorded_spans_local']) {
        assert.ok(!covers(of('migrate'), `DROP TABLE ON default.${table}`), table);
      }
    });

    for (const [user, { read, write }] of Object.entries(clickHouseRights)) {
      it(`let ${user} use the stored rows of its tables, and nothing else`, () => {
        const named = (tables: readonly string[]): readonly string[] =>
          tables
            .flatMap((table) => (sharded && isSharded(table) ? [table, `${table}_local`] : [table]))
            .map((table) => (table.includes('.') ? table : `default.${table}`));
        const expected = [
          ...named([...read, ...write]).map((table) => `SELECT ON ${table}`),
          ...named(write).map((table) => `INSERT ON ${table}`),
          // Only one server has stages, and only in a database of their own.
          ...(user === 'timeseries' && !sharded
            ? ['CREATE DATABASE, CREATE TABLE, DROP TABLE, SELECT, INSERT, ALTER DELETE, ALTER SETTINGS ON staging.*']
            : []),
        ];
        assert.deepEqual(of(user).toSorted(), expected.toSorted());
      });
    }
  });
}
