import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startClickHouse, type RunningClickHouse } from './clickhouse.js';
import { LocalServerError, PortTakenError } from './errors.js';

describe('ClickHouse on a laptop', () => {
  let dir = '';
  let server: RunningClickHouse;
  const users = [{ user: 'default', password: 'p' }];
  const runQuery = async (sql: string, query = ''): Promise<Response> =>
    fetch(`${server.url}/?${query}`, {
      method: 'POST',
      body: sql,
      headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'p' },
    });
  const text = async (sql: string, query?: string): Promise<string> => (await runQuery(sql, query)).text();

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-clickhouse-'));
    server = await startClickHouse({ dir, users });
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('answers as the real server does', async () => {
    assert.equal(await (await fetch(`${server.url}/ping`)).text(), 'Ok.\n');
    assert.equal(await (await fetch(`${server.url}/?query=SELECT%201&user=default&password=p`)).text(), '1\n');
    const answer = await runQuery('SELECT 1 AS one FORMAT JSONEachRow', 'query_id=mine&wait_end_of_query=1');
    assert.equal(answer.headers.get('x-clickhouse-query-id'), 'mine');
    assert.equal(answer.headers.get('x-clickhouse-format'), 'JSONEachRow');
    assert.equal(await answer.text(), '{"one":1}\n');
    const refused = await runQuery('SELECT * FROM nowhere');
    assert.equal(refused.status, 404);
    assert.equal(refused.headers.get('x-clickhouse-exception-code'), '60');
    assert.match(await refused.text(), /^Code: 60\. DB::Exception: .*\(UNKNOWN_TABLE\)/);
    assert.equal((await fetch(`${server.url}/?query=SELECT%201`)).status, 403);
    assert.equal((await runQuery('SELECT 1', 'no_such_setting=1')).status, 400);
  });

  it('handles empty results, settings and unknown databases as the real server does', async () => {
    assert.equal(await text('SELECT number FROM numbers(0)'), '');
    assert.equal(await text('SELECT number FROM numbers(0) -- a comment', 'default_format=CSVWithNames'), '"number"\n');
    assert.equal(await text(`SELECT getSetting('max_block_size')`, 'max_block_size=77&wait_end_of_query=1'), '77\n');
    assert.notEqual(await text(`SELECT getSetting('max_block_size')`, 'wait_end_of_query=1'), '77\n');
    assert.equal(await text('SELECT currentDatabase()', 'database=system'), 'system\n');
    assert.match(await text('SELECT 1', 'database=nowhere'), /^Code: 81\./);
    assert.match(
      await text('SELECT sleepEachRow(1) FROM numbers(9)', 'max_execution_time=1&max_block_size=1'),
      /^Code: 159\./,
    );
  });

  it('answers a query as if the failed one before it had written nothing', async () => {
    const fails = 'SELECT number, throwIf(number = 9) FROM numbers(10) SETTINGS max_block_size = 1 FORMAT JSONEachRow';
    for (const mode of ['wait_end_of_query=1', '']) {
      // More than the sessions of one kind, because any of them can have the rest of a failed query.
      for (let round = 0; round < 20; round += 1) {
        const failed = await runQuery(fails, mode);
        await failed.text().catch(() => 'a stream ends without its last bytes');
        assert.equal(await text('SELECT 7 AS seven FORMAT JSONEachRow', mode), '{"seven":7}\n', `${mode} ${round}`);
      }
    }
  });

  it('inserts rows written into the statement', async () => {
    await text('CREATE TABLE inline (id UInt8, name String) ENGINE = MergeTree ORDER BY id');
    assert.equal(
      await text(`INSERT INTO inline VALUES (1, 'a;b'), (2, {name:String})`, `param_name=${encodeURIComponent(`c'd`)}`),
      '',
    );
    assert.equal(await text('INSERT INTO inline (name, id) FORMAT TSV\ne;\t3\n; DROP TABLE inline\t4\n'), '');
    assert.equal(await text('INSERT INTO inline SELECT 5, toString(5)'), '');
    assert.equal(
      await text(`SELECT id, name FROM inline ORDER BY id FORMAT CSV`),
      `1,"a;b"\n2,"c'd"\n3,"e;"\n4,"; DROP TABLE inline"\n5,"5"\n`,
    );
  });

  it('says why it refuses a body that is too large', async () => {
    const [part, parts] = [new Uint8Array(1024 * 1024).fill(49), 257];
    const body = async function* () {
      for (let n = 0; n < parts; n += 1) yield part;
    };
    const answer = await fetch(`${server.url}/?query=INSERT%20INTO%20nowhere%20FORMAT%20TSV&user=default&password=p`, {
      method: 'POST',
      body: ReadableStream.from(body()),
      duplex: 'half',
    });
    assert.match(await answer.text(), /^Code: 131\..*larger than 268435456 bytes.*in parts/);
    assert.equal(await text('SELECT 1'), '1\n');
  });

  it('streams Parquet as one file', async () => {
    const file = Buffer.from(await (await runQuery('SELECT number FROM numbers(300000) FORMAT Parquet')).arrayBuffer());
    assert.equal(file.subarray(0, 4).toString() + file.subarray(-4).toString(), 'PAR1PAR1');
    assert.equal(file.toString('latin1').split('PAR1').length, 3);
  });

  it('keeps stored rows through kill -9 and restarts on the same folder', { timeout: 240_000 }, async () => {
    await text('CREATE TABLE kept (id UInt64) ENGINE = MergeTree ORDER BY id');
    assert.equal(await text('INSERT INTO kept SELECT number FROM numbers(100000)'), '');
    assert.equal(await text('INSERT INTO kept FORMAT TSV\n100000\n'), '');
    const ended = new Promise<LocalServerError>((resolve) => server.onExit(resolve));
    process.kill(server.pid, 'SIGKILL');
    assert.match((await ended).message, /^ClickHouse was stopped by SIGKILL\./);
    server = await startClickHouse({ dir, users });
    assert.equal(await text('SELECT count(), max(id) FROM kept'), '100001\t100000\n');
  });

  it('refuses a taken port, and a folder that is in use, in one sentence', { timeout: 240_000 }, async () => {
    const other = join(dir, 'other');
    await assert.rejects(startClickHouse({ dir: other, users, port: server.port }), PortTakenError);
    await assert.rejects(startClickHouse({ dir, users }), LocalServerError);
    assert.equal(await text('SELECT 1'), '1\n');
  });

  it('stops cleanly while a client reads a stream', { timeout: 60_000 }, async () => {
    const own = await startClickHouse({ dir: join(dir, 'own'), users });
    const answer = await fetch(`${own.url}/?user=default&password=p`, {
      method: 'POST',
      body: 'SELECT number FROM numbers(1e12)',
    });
    const ended = new Promise<LocalServerError>((resolve) => own.onExit(resolve));
    // stop() would kill the process in the end, so the test sends the signal itself.
    process.kill(own.pid, 'SIGTERM');
    assert.match((await ended).message, /^ClickHouse ended with code 0\./);
    await assert.rejects(answer.text());
  });
});
