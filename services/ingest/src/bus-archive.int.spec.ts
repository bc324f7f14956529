import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Bus, connectBus, rpcClient } from '@almanac/bus';
import { Rpc, type RpcContext, serveControllers } from '@almanac/bus/server';
import { type ClickHouse, connectClickHouse, insertBytes, migrate, rows } from '@almanac/clickhouse';
import { catalogRpc, DomainError, observationColumns, timeseriesRpc } from '@almanac/contracts';
import { testClickHouse, type TestClickHouse, testNats, type TestServer } from '@almanac/testing';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { busArchive } from './bus-archive.js';
import { ArchiveError } from './errors.js';
import { batchBuilder, batchedMarket } from './import/observation-batch.js';

let nats: TestServer;
let clickhouseServer: TestClickHouse;
let clickhouse: ClickHouse;
let server: Bus;
let client: Bus;
let calls: { stop(): Promise<void> };

/** Refusals that the next calls get. */
let refusals: DomainError[] = [];
let awaited: number[] = [];
let recorded: string[] = [];

/** While set, catalogue calls stay without an answer until it resolves. */
let stuck: Promise<void> | null = null;

const answerOrRefuse = (): void => {
  const refusal = refusals.shift();
  if (refusal) throw refusal;
};

/** The receiving side of both contracts, with the real store behind it. */
@Controller()
class Receiver {
  @Rpc(timeseriesRpc.store)
  async store({ markets }: z.output<typeof timeseriesRpc.store.input>, { body }: RpcContext) {
    answerOrRefuse();
    await insertBytes(clickhouse, {
      table: 'snapshots',
      columns: observationColumns,
      format: 'TabSeparated',
      body: Buffer.from(body),
    });
    return { rows: markets.reduce((sum, market) => sum + market.rows, 0) };
  }

  @Rpc(catalogRpc.record)
  async record({ facts }: z.output<typeof catalogRpc.record.input>) {
    answerOrRefuse();
    await stuck;
    recorded.push(...facts.map((fact) => (fact.kind === 'market' ? fact.ticker : fact.kind)));
    return { outcomes: facts.map(() => ({ outcome: 'created' })), last_seq: 7 };
  }

  @Rpc(catalogRpc.awaitReadable)
  awaitReadable({ seq }: z.output<typeof catalogRpc.awaitReadable.input>) {
    awaited.push(seq);
    return { seq };
  }
}

before(async () => {
  [nats, clickhouseServer] = await Promise.all([testNats(), testClickHouse()]);
  const { url, username, password } = clickhouseServer;
  clickhouse = connectClickHouse({ url, username, password });
  await migrate(clickhouse);
  server = await connectBus({ url: nats.url, user: 'timeseries' });
  client = await connectBus({ url: nats.url, user: 'ingest' });
  calls = await serveControllers(
    server,
    { controllers: [Receiver] },
    { error: () => undefined, warn: () => undefined, debug: () => undefined },
  );
});

after(async () => {
  await client.close();
  await calls.stop();
  await server.close();
  await clickhouse.close();
  await Promise.all([nats.stop(), clickhouseServer.stop()]);
});

const storedRows = (ticker: string) =>
  rows(clickhouse, {
    sql: `SELECT series, toUnixTimestamp64Micro(ts) AS us, toUnixTimestamp64Micro(venue_ts) AS venue_us, toString(seq) AS seq,
      toString(yes_best_bid) AS bid, toString(yes_best_ask) AS ask, toString(coin_price) AS coin
      FROM snapshots FINAL WHERE ticker = {ticker:String} ORDER BY ts SETTINGS output_format_json_quote_64bit_integers = 1`,
    params: { ticker },
  });

test('a batch is stored with every digit, however odd its ticker, and its repetition adds no row', async () => {
  const ticker = 'K\tX\\B\n"\'é-1';
  const market = batchedMarket(ticker, 'K\tX');
  const builder = batchBuilder();
  const nothing = { venueUs: null, seq: null, bid: null, ask: null, coinPrice: null };
  builder.add(market, { ...nothing, us: 1_771_993_365_058_297, bid: '0.86', ask: '0.87', coinPrice: '65541.895' });
  builder.add(market, {
    ...nothing,
    us: 1_771_993_366_000_001,
    venueUs: 1_771_993_365_999_999,
    seq: 9_007_199_254_740_991,
  });
  builder.add(market, { ...nothing, us: 5_000_000, bid: '0', ask: '1', coinPrice: '9999999999.12345678' });
  const batch = builder.take();
  assert.ok(batch);
  const archive = busArchive(rpcClient(client));
  await archive.storeObservations(batch);
  await archive.storeObservations(batch);
  const expected = [
    { us: '5000000', venue_us: null, seq: null, bid: '0', ask: '1', coin: '9999999999.12345678' },
    { us: '1771993365058297', venue_us: null, seq: null, bid: '0.86', ask: '0.87', coin: '65541.895' },
    { us: '1771993366000001', venue_us: '1771993365999999', seq: '9007199254740991', bid: null, ask: null, coin: null },
  ];
  assert.deepEqual(
    await storedRows(ticker),
    expected.map((row) => ({ series: 'K\tX', ...row })),
  );
});

test('a call to an unavailable service is retried, and the end waits until all rows can be found', async () => {
  const archive = busArchive(rpcClient(client));
  refusals = [new DomainError('unavailable', 'Not now.'), new DomainError('conflict', 'Busy.')];
  const outcomes = await archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]);
  assert.deepEqual(outcomes, [{ outcome: 'created' }]);
  assert.deepEqual([refusals, recorded], [[], ['A']]);
  await archive.settled();
  assert.deepEqual(awaited, [7]);
});

test('the first retry is reported with the reason, once for all waiting batches', async () => {
  const reported: string[] = [];
  const archive = busArchive(rpcClient(client), { onWaiting: (sentence) => reported.push(sentence) });
  refusals = Array.from({ length: 3 }, () => new DomainError('unavailable', 'The disk is full.'));
  const recordCalls = ['B', 'C', 'D'].map((ticker) => archive.recordCatalogue([{ kind: 'market', ticker }]));
  await Promise.all(recordCalls);
  assert.deepEqual(reported, ['Waiting for the archive: The disk is full. (attempt 2 of 9)']);
});

test('an archive that never answers is reported repeatedly, and given up when the time limit of the call ends', async () => {
  const retryTimeoutMs = 1_500;
  const reported: string[] = [];
  const onWaiting = (sentence: string) => reported.push(sentence);
  const archive = busArchive(rpcClient(client), { retryTimeoutMs, reportEveryMs: 300, onWaiting });
  const release = Promise.withResolvers<void>();
  stuck = release.promise;
  const start = performance.now();
  try {
    await assert.rejects(archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]), (error) => {
      assert.ok(error instanceof ArchiveError);
      assert.match(error.message, /did not store a batch: .*The catalog service did not answer in time\./);
      return true;
    });
    const tookMs = performance.now() - start;
    // The archive answers only after this delay, and the first attempt is still waiting.
    assert.ok(tookMs > retryTimeoutMs / 2, `${tookMs} ms`);
    assert.ok(reported.length > 1, `told ${reported.length} times`);
    assert.deepEqual(
      new Set(reported),
      new Set(['Waiting for the archive: It has not responded yet. (attempt 1 of 9)']),
    );
  } finally {
    stuck = null;
    release.resolve();
  }
});

test('an archive that refuses until the time limit is reported with its own reason', async () => {
  const archive = busArchive(rpcClient(client), { retryTimeoutMs: 1_500 });
  refusals = Array.from({ length: 9 }, () => new DomainError('unavailable', 'The disk is full.'));
  await assert.rejects(
    archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]),
    /a batch: The disk is full\. Earlier/,
  );
  assert.ok(refusals.length > 0, 'the patience ended before the attempts did');
  refusals = [];
});

test('a non-retryable refusal ends the import at once', async () => {
  const archive = busArchive(rpcClient(client));
  refusals = [new DomainError('invalid_input', 'The batch is odd.')];
  await assert.rejects(archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]), (error) => {
    assert.ok(error instanceof ArchiveError);
    assert.match(error.message, /did not store a batch: The batch is odd\./);
    return true;
  });
});

const runCommand = async (given: readonly string[], environment: NodeJS.ProcessEnv) => {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const child = spawn(process.execPath, [main, ...given], { env: { ...process.env, ...environment } });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code: child.exitCode };
};

const settled =
  'ticker,event_ticker,series,open_time,close_time,settlement_ts,floor_strike,expiration_value,result\n' +
  'KXBTC15M-26APR041230-30,KXBTC15M-26APR041230,KXBTC15M,2026-04-04T16:15:00+00:00,2026-04-04T16:30:00+00:00,,1,2,yes\n';

test('the command imports with the connection that a running system wrote down, and reports', async () => {
  const home = nats.dir;
  await writeFile(join(home, 'ingest.env'), `NATS_URL=${nats.url}\n`);
  const file = join(home, 'markets.csv');
  await writeFile(file, `${settled}broken\n`);
  const { out, err, code } = await runCommand([file], { ALMANAC_HOME: home });
  assert.equal(code, 0, err);
  assert.match(out, /rows read 2 in/);
  assert.match(out, /markets read 1: created 1, changed 0, unchanged 0, refused 0/);
  assert.match(
    out,
    /1 {2}the number of columns differs from the header\n {4}each with its line in .*markets\.csv\..*\.refused\.jsonl/,
  );
  assert.match(out, /1 file, 2 rows read, 0 observations stored, 1 market created, 1 refused\n$/);
  assert.deepEqual(
    recorded.slice(-2),
    ['KXBTC15M-26APR041230-30', 'series'],
    'the market, then the name of its series',
  );
});

test('the command explains in one sentence why it cannot work', async () => {
  const home = join(nats.dir, 'elsewhere');
  const unreachableRun = await runCommand([nats.dir], { ALMANAC_HOME: home, NATS_URL: 'nats://127.0.0.1:1' });
  assert.equal(unreachableRun.code, 1);
  assert.match(
    unreachableRun.err,
    /^import: Cannot connect to the archive at nats:\/\/127\.0\.0\.1:1 .* Start the system/,
  );
  const unused = await runCommand(['--wrong'], {});
  assert.equal(unused.code, 1);
  assert.match(unused.err, /^import: Unknown option '--wrong'[^]*Usage: npm run import/);
});

test('the command shows what it waits for in a plain line without a terminal', async () => {
  const home = nats.dir;
  await writeFile(join(home, 'ingest.env'), `NATS_URL=${nats.url}\n`);
  const file = join(home, 'waits.csv');
  await writeFile(file, settled);
  refusals = [new DomainError('unavailable', 'The disk is full.')];
  const { err, code } = await runCommand([file], { ALMANAC_HOME: home });
  assert.deepEqual([err, code], ['Waiting for the archive: The disk is full. (attempt 2 of 9)\n', 0]);
});
