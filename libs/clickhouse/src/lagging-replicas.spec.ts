import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { buffer } from 'node:stream/consumers';
import {
  type ClickHouse,
  ClickHouseError,
  connectClickHouse,
  insertBytes,
  isServerError,
  rows,
  stream,
} from './index.js';

interface Seen {
  readonly url: URL;
  readonly body: string;
}

describe('a client of a cluster', () => {
  const seen: Seen[] = [];
  const refusals: number[] = [];
  const clients: ClickHouse[] = [];
  let url = '';
  const server = createServer((request: IncomingMessage, response) => {
    void buffer(request).then((body) => {
      seen.push({ url: new URL(request.url ?? '/', 'http://localhost'), body: body.toString() });
      const code = refusals.shift();
      if (code === undefined) return response.end('{"one":1}\n');
      return response
        .writeHead(500, { 'X-ClickHouse-Exception-Code': String(code) })
        .end(`Code: ${code}. DB::Exception: No. (SOME_ERROR)`);
    });
  });
  const connect = (cluster?: string): ClickHouse => {
    const client = connectClickHouse({ url, username: 'u', password: '', cluster });
    clients.push(client);
    return client;
  };
  const queries = (): Seen[] => seen.splice(0);
  const row = { table: 't', columns: ['a'], format: 'TabSeparated', body: Buffer.from('1\n') };

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    for (const client of clients) await client.close();
    server.close();
  });

  it('asks again, for all rows and for a stream, while a replica does not have all acknowledged rows', async () => {
    const cluster = connect('almanac');
    refusals.push(289, 289);
    assert.deepEqual(await rows(cluster, { sql: 'SELECT 1 AS one' }), [{ one: 1 }]);
    assert.equal(queries().length, 3);
    refusals.push(289);
    assert.equal(
      (await buffer(await stream(cluster, { sql: 'SELECT 1 FORMAT JSONEachRow' }))).toString(),
      '{"one":1}\n',
    );
    assert.equal(queries().length, 2);
  });

  it('inserts again, as the same insert, while another insert waits for its replicas', async () => {
    refusals.push(286);
    await insertBytes(connect('almanac'), row);
    const [first, second] = queries();
    const tokenOf = (one: Seen | undefined) => one?.url.searchParams.get('insert_deduplication_token');
    assert.ok(tokenOf(first));
    assert.equal(tokenOf(second), tokenOf(first));
    assert.equal(second?.body, '1\n');
  });

  it('never stores less because an insert has the bytes of an earlier one', async () => {
    const cluster = connect('almanac');
    await insertBytes(cluster, row);
    await insertBytes(cluster, row);
    const tokens = queries().map((one) => one.url.searchParams.get('insert_deduplication_token'));
    assert.equal(new Set(tokens).size, 2);
    await insertBytes(cluster, { ...row, settings: { insert_deduplication_token: 'own' } });
    assert.equal(queries()[0]?.url.searchParams.get('insert_deduplication_token'), 'own');
  });

  it('demands a majority for inserts and all acknowledged rows for reads', async () => {
    await rows(connect('almanac'), { sql: 'SELECT 1 AS one' });
    const setting = (name: string) => seen[0]?.url.searchParams.get(name);
    assert.equal(setting('insert_quorum'), 'auto');
    assert.equal(setting('insert_quorum_parallel'), '0');
    assert.equal(setting('select_sequential_consistency'), '1');
    assert.equal(setting('distributed_foreground_insert'), '1');
    assert.equal(setting('skip_unavailable_shards'), '0');
    seen.length = 0;
    await rows(connect('cloud'), { sql: 'SELECT 1 AS one' });
    assert.equal(setting('select_sequential_consistency'), '1');
    assert.equal(setting('insert_quorum'), null);
    seen.length = 0;
  });

  it('reports any other error at once, and one server is asked once and without these settings', async () => {
    refusals.push(285);
    await assert.rejects(rows(connect('almanac'), { sql: 'SELECT 1' }), ClickHouseError);
    assert.equal(queries().length, 1);
    const single = connect();
    refusals.push(289);
    await assert.rejects(rows(single, { sql: 'SELECT 1' }), ClickHouseError);
    await insertBytes(single, row);
    const requests = queries();
    assert.equal(requests.length, 2);
    for (const one of requests) {
      const names = [...one.url.searchParams.keys()].join(' ');
      assert.doesNotMatch(names, /quorum|consistency|deduplication|distributed|shards/);
    }
  });

  it('takes missing and lagging replicas for a state of the servers, not for an error of the query', () => {
    for (const code of ['254', '279', '285', '286', '289', '319', '341', '369', '415', '701', '999']) {
      assert.ok(isServerError(new ClickHouseError({ message: 'No.', code, type: 'X' })), code);
    }
    assert.ok(!isServerError(new ClickHouseError({ message: 'No.', code: '62', type: 'SYNTAX_ERROR' })));
  });
});
