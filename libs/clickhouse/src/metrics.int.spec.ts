import assert from 'node:assert/strict';
import { finished } from 'node:stream/promises';
import { after, before, it } from 'node:test';
import { processMetrics, readSamples, sumOfSamples } from '@almanac/runtime';
import { eventually, testClickHouse, type TestClickHouse } from '@almanac/testing';
import { bytes, type ClickHouse, command, connectClickHouse, insertBytes, stream } from './index.js';

const queries = async (kind: string, outcome: string) =>
  sumOfSamples(await readSamples(processMetrics), 'almanac_clickhouse_queries_total', { kind, outcome });

let server: TestClickHouse;
const clients: ClickHouse[] = [];
const connect = (url: string, requestTimeoutMs = 30_000): ClickHouse => {
  const { username, password } = server;
  const client = connectClickHouse({ url, username, password, requestTimeoutMs });
  clients.push(client);
  return client;
};
before(async () => {
  server = await testClickHouse();
});
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.stop();
});

it('every query is counted by its kind and outcome, with its duration', async () => {
  const clickhouse = connect(server.url);
  await command(clickhouse, { sql: 'CREATE TABLE counted (id UInt64) ENGINE = MergeTree ORDER BY id' });
  assert.equal(await queries('read', 'ok'), 1);
  await insertBytes(clickhouse, { table: 'counted', columns: ['id'], format: 'CSV', body: Buffer.from('1\n2\n') });
  assert.equal(await queries('insert', 'ok'), 1);
  await finished((await stream(clickhouse, { sql: 'SELECT id FROM counted FORMAT CSV' })).resume());
  await eventually(async () => assert.equal(await queries('stream', 'ok'), 1));
  (await stream(clickhouse, { sql: 'SELECT number FROM system.numbers FORMAT CSV' })).destroy();
  await eventually(async () => assert.equal(await queries('stream', 'cancelled'), 1));
  await assert.rejects(bytes(clickhouse, { sql: 'SELECT nothing FROM counted FORMAT CSV' }));
  assert.equal(await queries('read', 'refused'), 1);
  const sql = 'SELECT count() FROM system.numbers FORMAT CSV';
  await assert.rejects(bytes(clickhouse, { sql, signal: AbortSignal.abort() }));
  assert.equal(await queries('read', 'cancelled'), undefined, 'what was never asked is not counted');
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  await assert.rejects(bytes(clickhouse, { sql, signal: controller.signal }));
  assert.equal(await queries('read', 'cancelled'), 1);
  await assert.rejects(bytes(connect(server.url, 300), { sql }));
  assert.equal(await queries('read', 'timeout'), 1);
  await assert.rejects(bytes(connect('http://127.0.0.1:1'), { sql }));
  assert.equal(await queries('read', 'unreachable'), 1);
  const samples = await readSamples(processMetrics);
  assert.equal(sumOfSamples(samples, 'almanac_clickhouse_query_seconds_count', { kind: 'read' }), 5);
  assert.ok((sumOfSamples(samples, 'almanac_clickhouse_query_seconds_sum', { kind: 'read' }) ?? 0) > 0.2);
});
