import assert from 'node:assert/strict';
import { once } from 'node:events';
import { finished, pipeline } from 'node:stream/promises';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { createGunzip, gzipSync } from 'node:zlib';
import { processMetrics, readSamples, sumOfSamples } from '@almanac/runtime';
import { eventually, testClickHouse, type TestClickHouse } from '@almanac/testing';
import {
  bytes,
  ClickHouseError,
  command,
  connectClickHouse,
  insertBytes,
  rows,
  stream,
  type ClickHouse,
  type ClickHouseOptions,
} from './index.js';

describe('a ClickHouse server', () => {
  let server: TestClickHouse;
  let operator: ClickHouse;
  let reader: ClickHouse;
  let writer: ClickHouse;

  const connect = (username: string, password: string, options: Partial<ClickHouseOptions> = {}): ClickHouse =>
    connectClickHouse({ url: server.url, username, password, ...options });

  before(async () => {
    server = await testClickHouse({
      hasTables: false,
      users: [
        { user: 'reader', password: 'r', readonly: true, tables: { read: ['open'], write: [] } },
        { user: 'writer', password: 'w', tables: { read: [], write: ['open'] } },
      ],
    });
    operator = connect(server.username, server.password);
    reader = connect('reader', 'r');
    writer = connect('writer', 'w');
    await command(operator, { sql: 'CREATE TABLE open (id UInt64, name String) ENGINE = MergeTree ORDER BY id' });
    await command(operator, { sql: 'CREATE TABLE secret (id UInt64) ENGINE = MergeTree ORDER BY id' });
  });
  after(async () => {
    await Promise.all([operator, reader, writer].map((client) => client.close()));
    await server.stop();
  });

  const insertOpen = (client: ClickHouse, lines: readonly object[]): Promise<number> =>
    insertBytes(client, {
      table: 'open',
      columns: ['id', 'name'],
      format: 'JSONEachRow',
      body: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
    });
  const processes = (): Promise<unknown[]> =>
    rows(operator, {
      sql: `SELECT query FROM system.processes WHERE query LIKE '%sink_of_numbers%' AND query NOT LIKE '%system.processes%'`,
    });
  const refusal = (code: string, type: string) => (error: unknown) => {
    assert.ok(error instanceof ClickHouseError, String(error));
    assert.deepEqual([error.code, error.type], [code, type]);
    return true;
  };

  // First, so that no query of another test ends meanwhile.
  it('counts every query by its kind and outcome, with its duration', async () => {
    const earlier = await readSamples(processMetrics);
    const counted = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> => {
      const now = sumOfSamples(await readSamples(processMetrics), name, labels) ?? 0;
      return now - (sumOfSamples(earlier, name, labels) ?? 0);
    };
    const queries = (kind: string, outcome: string) => counted('almanac_clickhouse_queries_total', { kind, outcome });
    await command(operator, { sql: 'CREATE TABLE counted (id UInt64) ENGINE = MergeTree ORDER BY id' });
    assert.equal(await queries('read', 'ok'), 1);
    await insertBytes(operator, { table: 'counted', columns: ['id'], format: 'CSV', body: Buffer.from('1\n2\n') });
    assert.equal(await queries('insert', 'ok'), 1);
    await finished((await stream(operator, { sql: 'SELECT id FROM counted FORMAT CSV' })).resume());
    await eventually(async () => assert.equal(await queries('stream', 'ok'), 1));
    (await stream(operator, { sql: 'SELECT number FROM system.numbers FORMAT CSV' })).destroy();
    await eventually(async () => assert.equal(await queries('stream', 'cancelled'), 1));
    await assert.rejects(bytes(operator, { sql: 'SELECT nothing FROM counted FORMAT CSV' }));
    assert.equal(await queries('read', 'refused'), 1);
    const sql = 'SELECT count() FROM system.numbers FORMAT CSV';
    await assert.rejects(bytes(operator, { sql, signal: AbortSignal.abort() }));
    assert.equal(await queries('read', 'cancelled'), 0, 'what was never asked is not counted');
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    await assert.rejects(bytes(operator, { sql, signal: controller.signal }));
    assert.equal(await queries('read', 'cancelled'), 1);
    const late = connect(server.username, server.password, { requestTimeoutMs: 300 });
    await assert.rejects(bytes(late, { sql }));
    assert.equal(await queries('read', 'timeout'), 1);
    const unreachable = connect(server.username, server.password, { url: 'http://127.0.0.1:1' });
    await assert.rejects(bytes(unreachable, { sql }));
    assert.equal(await queries('read', 'unreachable'), 1);
    await Promise.all([late.close(), unreachable.close()]);
    assert.equal(await counted('almanac_clickhouse_query_seconds_count', { kind: 'read' }), 5);
    assert.ok((await counted('almanac_clickhouse_query_seconds_sum', { kind: 'read' })) > 0.2);
  });

  it('answers a ping and its uptime, but not with a wrong password', async () => {
    await operator.ping();
    await eventually(async () => assert.ok((await operator.uptimeS()) > 0));
    const stranger = connect('operator', 'wrong');
    await assert.rejects(stranger.ping(), refusal('516', 'AUTHENTICATION_FAILED'));
    await stranger.close();
  });

  it('reports failures as typed errors, even in a streamed answer', async () => {
    await assert.rejects(rows(operator, { sql: 'SELECT * FROM nowhere' }), refusal('60', 'UNKNOWN_TABLE'));
    await assert.rejects(rows(operator, { sql: 'SELEC 1' }), refusal('62', 'SYNTAX_ERROR'));
    await assert.rejects(stream(operator, { sql: 'SELECT * FROM nowhere' }), refusal('60', 'UNKNOWN_TABLE'));
    await assert.rejects(rows(operator, { sql: 'SELECT 1', settings: { max_block_size: 'many' } }), ClickHouseError);
    assert.deepEqual(await rows(operator, { sql: 'SELECT 1 AS one' }), [{ one: 1 }]);
    await assert.rejects(rows(operator, { sql: 'SELECT 1; SELECT 2' }), refusal('62', 'SYNTAX_ERROR'));
    await assert.rejects(
      rows(operator, { sql: 'SELECT {x:String}', params: { y: 1 } }),
      refusal('456', 'UNKNOWN_QUERY_PARAMETER'),
    );
  });

  it('accepts any text as a bound value', async () => {
    const params = {
      text: `it's "a" \\ tab\t line\n {id:UInt8} /* -- ; *> ٣ 🙂`,
      none: null,
      list: [`a'b`, 'c\\d', 'e,f'],
      number: 9007199254740991,
      limit: 1,
    };
    const sql = `SELECT {text:String} AS text, {none:Nullable(String)} AS none, {list:Array(String)} AS list,
      {number:UInt64} AS number, 'in a string {text:String}' AS literal /* {gone:String} */ LIMIT {limit:UInt32}`;
    const { limit: _, ...values } = params;
    assert.deepEqual(await rows(operator, { sql, params }), [{ ...values, literal: 'in a string {text:String}' }]);
  });

  it('runs bound queries at the same time without mixing their values', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        rows(operator, {
          sql: 'SELECT {n:UInt32} AS n',
          params: { n },
          settings: { max_block_size: `${1000 + (n % 3)}` },
        }),
      ),
    );
    assert.deepEqual(
      answers.flat(),
      Array.from({ length: 100 }, (_, n) => ({ n })),
    );
  });

  it('stores a batch of bytes, plain or gzipped, and counts its rows', async () => {
    const lines = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `name ${id}; DROP TABLE open\t'` }));
    assert.equal(await insertOpen(operator, lines), 10_000);
    const response = await fetch(`${server.url}/?query=${encodeURIComponent('INSERT INTO open FORMAT JSONEachRow')}`, {
      method: 'POST',
      headers: {
        'Content-Encoding': 'gzip',
        Authorization: `Basic ${Buffer.from(`${server.username}:${server.password}`).toString('base64')}`,
      },
      body: gzipSync('{"id":77777,"name":"gzipped"}\n'),
    });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(await rows(operator, { sql: 'SELECT count() AS n, max(id) AS id FROM open' }), [
      { n: 10_001, id: 77_777 },
    ]);
  });

  it('stores nothing of a batch with a bad row, and continues', async () => {
    const stored = await rows(operator, { sql: 'SELECT count() AS n FROM open' });
    const lines = [...Array.from({ length: 5_000 }, (_, id) => ({ id, name: 'fine' })), { id: 'many', name: 'bad' }];
    await assert.rejects(insertOpen(operator, lines), ClickHouseError);
    await assert.rejects(
      insertBytes(operator, { table: 'nowhere', columns: ['id'], format: 'TabSeparated', body: Buffer.from('1\n') }),
      refusal('60', 'UNKNOWN_TABLE'),
    );
    assert.deepEqual(await rows(operator, { sql: 'SELECT count() AS n FROM open' }), stored);
  });

  it('refuses what a user has no permission for', async () => {
    assert.equal((await rows(reader, { sql: 'SELECT id FROM open LIMIT 3' })).length, 3);
    assert.equal(await insertOpen(writer, [{ id: 1, name: 'by the writer' }]), 1);
    const refused = [
      'SELECT * FROM secret',
      'SELECT (SELECT count() FROM secret)',
      'SELECT 1 WHERE 1 IN (SELECT id FROM secret)',
      'SELECT 1 IN (secret)',
      'WITH s AS (SELECT * FROM default.secret) SELECT count() FROM s',
      'SELECT id FROM open UNION ALL SELECT id FROM secret',
      `SELECT * FROM merge('default', 'secret')`,
      `SELECT * FROM file('/etc/passwd', 'LineAsString')`,
      'SELECT query FROM system.processes',
      'DROP TABLE open',
      'TRUNCATE TABLE open',
      `INSERT INTO secret SELECT 1`,
      'INSERT INTO open SELECT 1, toString(id) FROM secret',
      '/* a /* b */ SELECT 1 */ DROP TABLE open',
    ];
    for (const sql of refused) {
      await assert.rejects(command(reader, { sql }), refusal('497', 'ACCESS_DENIED'), sql);
      await assert.rejects(command(writer, { sql }), refusal('497', 'ACCESS_DENIED'), sql);
    }
    await assert.rejects(insertOpen(reader, [{ id: 1, name: 'x' }]), refusal('497', 'ACCESS_DENIED'));
    for (const sql of [`SELECT 1 INTO OUTFILE '/tmp/x'`, `INSERT INTO open FROM INFILE '/etc/passwd' FORMAT TSV`]) {
      await assert.rejects(command(writer, { sql }), refusal('62', 'SYNTAX_ERROR'), sql);
    }
  });

  it('writes decimals and times without float noise', async () => {
    const sql = `SELECT toDecimal64(CAST({ts:DateTime64(6, 'UTC')}, 'DateTime64(6, \\'UTC\\')'), 6) AS ts,
      CAST('0.510000', 'Decimal(9,6)') AS bid, CAST('65541.89500000', 'Decimal(18,8)') AS price, [(CAST('0.0090', 'Decimal(9,6)'), CAST('66031.01', 'Decimal(18,6)'))] AS book
      FORMAT JSONCompactEachRow`;
    const params = { ts: '2026-02-25 04:22:45.058297' };
    assert.equal(
      (await bytes(operator, { sql, params })).toString(),
      '[1771993365.058297, 0.51, 65541.895, [[0.009,66031.01]]]\n',
    );
  });

  it('gives a gzipped stream to a caller that stores it as it is', async () => {
    const body = await stream(
      operator,
      { sql: `SELECT number FROM numbers(100000) FORMAT JSONEachRow` },
      { gzip: true },
    );
    let lines = 0;
    let packed = 0;
    body.on('data', (chunk: Buffer) => (packed += chunk.length));
    await pipeline(body, createGunzip(), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) lines += chunk.toString().split('\n').length - 1;
    });
    assert.equal(lines, 100_000);
    assert.ok(packed < 400_000, `${packed} bytes`);
  });

  it('ends a query whose client hangs up, before and after the first byte', async () => {
    const early = new AbortController();
    const pendingResult = bytes(operator, {
      sql: `SELECT sum(number), 'sink_of_numbers' FROM numbers(1e12) FORMAT TSV`,
      signal: early.signal,
    });
    await eventually(async () => assert.equal((await processes()).length, 1));
    early.abort(new Error('enough'));
    await assert.rejects(pendingResult, /enough/);
    await eventually(async () => assert.equal((await processes()).length, 0));

    const late = new AbortController();
    const body = await stream(operator, {
      sql: `SELECT number, 'sink_of_numbers' FROM numbers(1e12) FORMAT TSV`,
      signal: late.signal,
    });
    await once(body, 'data');
    assert.equal((await processes()).length, 1);
    late.abort();
    await eventually(async () => assert.equal((await processes()).length, 0));
  });

  it('breaks the connection when a query fails after the first byte', async () => {
    const body = await stream(operator, {
      sql: `SELECT throwIf(number = 3000000), number FROM numbers(10000000) FORMAT CSV`,
    });
    await assert.rejects(pipeline(body, new Writable({ write: (_chunk, _encoding, next) => next() })), Error);
  });

  it('gives up at the deadline and ends the query', async () => {
    const shortDeadline = connect(server.username, server.password, { requestTimeoutMs: 300 });
    await assert.rejects(
      bytes(shortDeadline, { sql: `SELECT sum(number), 'sink_of_numbers' FROM numbers(1e12) FORMAT TSV` }),
      Error,
    );
    await eventually(async () => assert.equal((await processes()).length, 0));
    await shortDeadline.close();
  });

  it('answers a long query after one that was aborted while it waited for the only connection', async () => {
    const only = connect(server.username, server.password, { socketsMax: 1 });
    const first = rows(only, { sql: 'SELECT sleep(0.3) AS s' });
    const aborted = new AbortController();
    const second = rows(only, { sql: 'SELECT 2', signal: aborted.signal });
    // Longer than an idle connection is kept.
    const third = rows(only, { sql: 'SELECT sum(sleepEachRow(2)) AS s FROM numbers(2) SETTINGS max_block_size = 1' });
    aborted.abort();
    await assert.rejects(second);
    for (const answer of [first, third]) assert.deepEqual(await answer, [{ s: 0 }]);
    await only.close();
  });

  it('answers short reads while long streams wait for their readers', async () => {
    const streams = await Promise.all(
      [1e9, 2e9, 3e9].map((n) =>
        stream(operator, { sql: `SELECT number, 'sink_of_numbers' FROM numbers(${n}) FORMAT TSV` }),
      ),
    );
    assert.deepEqual(await rows(operator, { sql: 'SELECT 1 AS one' }), [{ one: 1 }]);
    assert.equal(await insertOpen(operator, [{ id: 2, name: 'meanwhile' }]), 1);
    for (const body of streams) body.destroy();
    await eventually(async () => assert.equal((await processes()).length, 0));
  });
});
