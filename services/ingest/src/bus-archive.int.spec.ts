import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Bus, connectBus, rpcClient } from '@almanac/bus';
import { type ClickHouse, rows } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { tinyRecordings, writeKalshi15m, writeKalshiCatalogue, writeRecordings } from '@almanac/recordings';
import { z } from 'zod';
import { busArchive } from './bus-archive.js';
import { ArchiveError } from './errors.js';
import { batchBuilder, batchedMarket } from './intake/observation-batch.js';
import { receivingArchive } from './testing/receiving-archive.js';

let receiving: Awaited<ReturnType<typeof receivingArchive>>;
let clickhouse: ClickHouse;
let state: Awaited<ReturnType<typeof receivingArchive>>['state'];
let client: Bus;

before(async () => {
  receiving = await receivingArchive();
  ({ clickhouse, state } = receiving);
  client = await connectBus({ url: receiving.nats.url, user: 'ingest' });
});

after(async () => {
  await client.close();
  await receiving.stop();
});

const storedRows = (ticker: string) =>
  rows(clickhouse, {
    sql: `SELECT series, toUnixTimestamp64Micro(ts) AS us, toUnixTimestamp64Micro(venue_ts) AS venue_us, toString(seq) AS seq,
      toString(yes_best_bid) AS bid, toString(yes_best_ask) AS ask, toString(coin_price) AS coin
      FROM snapshots FINAL WHERE ticker = {ticker:String} ORDER BY ts SETTINGS output_format_json_quote_64bit_integers = 1`,
    params: { ticker },
  });

test('markets are looked up by the ids of their feed', async () => {
  state.markets = [{ ticker: 'one', ids: { condition: '0xaa', yes: '11', no: null } }];
  try {
    const found = await busArchive(rpcClient(client)).marketsOf?.(['11', '99']);
    assert.deepEqual(
      [state.lookups, found],
      [[['11', '99']], [{ ticker: 'one', condition: '0xaa', yes: '11', no: null }]],
    );
  } finally {
    state.markets = [];
  }
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
  state.refusals = [new DomainError('unavailable', 'Not now.'), new DomainError('conflict', 'Busy.')];
  const outcomes = await archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]);
  assert.deepEqual(outcomes, [{ outcome: 'created' }]);
  assert.deepEqual([state.refusals, state.recorded], [[], ['A']]);
  await archive.settled();
  assert.deepEqual(state.awaited, [7]);
});

test('the first retry is reported with the reason, once for all waiting batches', async () => {
  const reported: string[] = [];
  const archive = busArchive(rpcClient(client), { onWaiting: (sentence) => reported.push(sentence) });
  state.refusals = Array.from({ length: 3 }, () => new DomainError('unavailable', 'The disk is full.'));
  const recordCalls = ['B', 'C', 'D'].map((ticker) => archive.recordCatalogue([{ kind: 'market', ticker }]));
  await Promise.all(recordCalls);
  assert.deepEqual(reported, ['Waiting for the archive: The disk is full. (attempt 2 of 9)']);
});

test('an archive that never answers is reported repeatedly, and given up when the time limit of the call ends', async () => {
  const retryTimeoutMs = 1_000;
  const reported: string[] = [];
  const onWaiting = (sentence: string) => reported.push(sentence);
  const archive = busArchive(rpcClient(client), { retryTimeoutMs, reportEveryMs: 50, onWaiting });
  const release = Promise.withResolvers<void>();
  state.stuck = release.promise;
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
    state.stuck = null;
    release.resolve();
  }
});

test('an archive that refuses until the time limit is reported with its own reason', async () => {
  const archive = busArchive(rpcClient(client), { retryTimeoutMs: 1_500 });
  state.refusals = Array.from({ length: 9 }, () => new DomainError('unavailable', 'The disk is full.'));
  await assert.rejects(
    archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]),
    /a batch: The disk is full\. Earlier/,
  );
  assert.ok(state.refusals.length > 0, 'the patience ended before the attempts did');
  state.refusals = [];
});

test('a non-retryable refusal ends the import at once', async () => {
  const archive = busArchive(rpcClient(client));
  state.refusals = [new DomainError('invalid_input', 'The batch is odd.')];
  await assert.rejects(archive.recordCatalogue([{ kind: 'market', ticker: 'A' }]), (error) => {
    assert.ok(error instanceof ArchiveError);
    assert.match(error.message, /did not store a batch: The batch is odd\./);
    return true;
  });
});

/** Runs `npm run import` with the connection that a running system wrote down. */
const runCommand = async (given: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const home = receiving.nats.dir;
  await writeFile(join(home, 'ingest.env'), `NATS_URL=${receiving.nats.url}\n`);
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const env = { ...process.env, ALMANAC_HOME: home, ...environment };
  const child = spawn(process.execPath, [main, ...given], { env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code: child.exitCode };
};

const settled =
  'ticker,event_ticker,series,open_time,close_time,settlement_ts,floor_strike,expiration_value,result\n' +
  'KXBTC15M-26APR041230-30,KXBTC15M-26APR041230,KXBTC15M,2026-04-04T16:15:00+00:00,2026-04-04T16:30:00+00:00,,1,2,yes\n';

test('the command imports with the connection that a running system wrote down, says what it waits for, and reports', async () => {
  const file = join(receiving.nats.dir, 'markets.csv');
  await writeFile(file, `${settled}broken\n`);
  state.refusals = [new DomainError('unavailable', 'The disk is full.')];
  const { out, err, code } = await runCommand([file]);
  assert.deepEqual([err, code], ['Waiting for the archive: The disk is full. (attempt 2 of 9)\n', 0]);
  assert.match(out, /rows read 2 in/);
  assert.match(out, /markets read 1: created 1, changed 0, unchanged 0, refused 0/);
  assert.match(
    out,
    /1 {2}the number of columns differs from the header\n {4}each with its line in .*markets\.csv\..*\.refused\.jsonl/,
  );
  assert.match(
    out,
    /1 file, 2 rows read, 0 observations stored, 1 market created, 1 refused\nWarning: 1 of 2 rows of .*markets\.csv were refused \(the rows have another number of columns than the header\)\.\n$/,
  );
  assert.deepEqual(
    state.recorded.slice(-2),
    ['KXBTC15M-26APR041230-30', 'series'],
    'the market, then the name of its series',
  );
});

test('the command explains in one sentence why it cannot connect', async () => {
  const unreachable = await runCommand([receiving.nats.dir], { NATS_URL: 'nats://127.0.0.1:1' });
  assert.equal(unreachable.code, 1);
  assert.match(
    unreachable.err,
    /^import: Cannot connect to the archive at nats:\/\/127\.0\.0\.1:1 .* Start the system/,
  );
});

const readableRows = async (): Promise<number> => {
  const sql = 'SELECT count() AS n FROM snapshots FINAL';
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const [found] = await rows(clickhouse, { sql, settings }, z.object({ n: z.int() }));
  return found?.n ?? 0;
};

const counts = z.object({
  read: z.int(),
  stored: z.int(),
  replaced_equal: z.int(),
  replaced_different: z.int(),
  refused: z.int(),
  not_stored: z.int(),
});
const summary = z.object({
  dry_run: z.boolean(),
  files: z.array(z.object({ file: z.string(), observations: counts, error: z.string().nullable() })),
  total: z.object({ observations: counts }),
});

test('--json adds up by file and in total, and what it calls stored can be read', async () => {
  const folder = join(receiving.nats.dir, 'recordings');
  const { kalshi15m } = await writeRecordings(folder, tinyRecordings);
  const quotes = await readFile(kalshi15m.quotesPath, 'utf8');
  const lines = quotes.split('\n').slice(0, -1);
  // Rows that come again, late, in the same file and in another one, and one with other values.
  await appendFile(kalshi15m.quotesPath, `${lines.slice(10, 20).join('\n')}\n`);
  const [header = '', ...data] = lines;
  const at = header.split(',').indexOf('btc_yes_bid');
  const changed = data.slice(30, 35).map((line) => line.split(',').with(at, '1').join(','));
  await writeFile(join(folder, 'kalshi-15m', 'quotes_again.csv'), `${[header, ...changed].join('\n')}\n`);

  const rowsBefore = await readableRows();
  const readable = async (): Promise<number> => (await readableRows()) - rowsBefore;
  const dry = summary.parse(JSON.parse((await runCommand(['--json', '--dry-run', folder])).out));
  assert.deepEqual([dry.dry_run, await readable()], [true, 0]);
  const { out, code } = await runCommand(['--json', folder]);
  assert.equal(code, 0);
  const { files, total } = summary.parse(JSON.parse(out));
  assert.deepEqual(total, dry.total, 'a dry run counts the same');
  for (const { observations } of [...files, total]) {
    const { read, ...parts } = observations;
    assert.equal(
      read,
      Object.values(parts).reduce((sum, one) => sum + one, 0),
    );
  }
  assert.equal(total.observations.stored, await readable());
  const { replaced_equal: equal, replaced_different: different } = total.observations;
  assert.ok(equal >= 40 && different > 0 && equal + different >= 60, `${equal} equal, ${different} different`);
});

const mapping = `
name: quotes
format: csv
match: { columns: [id, at] }
fields:
  ticker: { column: id }
  ts: { column: at, unit: s }
  yes_best_bid: { column: bid }
`;

test('--mapping names the files that it describes, and --exact refuses what would be rounded', async () => {
  const folder = join(receiving.nats.dir, 'mapped');
  await writeKalshi15m(folder, tinyRecordings);
  await writeKalshiCatalogue(join(folder, 'kalshi-catalog'), tinyRecordings);
  const quotes = join(folder, 'quotes.csv');
  await writeFile(quotes, 'id,at,bid\nA-1,1771993365,0.5\nA-1,1771993366,0.1234567\n');
  const path = join(receiving.nats.dir, 'quotes.yaml');
  await writeFile(path, mapping);
  const { out, code } = await runCommand([folder, '--mapping', path, '--exact', '--dry-run']);
  assert.equal(code, 0);
  assert.match(out, /passed over: the mapping quotes needs the missing columns id, at\./);
  assert.match(out, /1 {2}yes_best_bid: would be rounded to 6 decimals \(--exact\)/);
  assert.match(out, /The mapping quotes describes 1 of \d+ files: .*quotes\.csv\n/);
  assert.match(out, /All observations read 2: to store 1, replaced 0, refused 1 \(dry run\)\n/);
  const none = await runCommand([join(folder, 'kalshi-catalog'), '--mapping', path, '--dry-run']);
  assert.deepEqual([none.code, none.err], [1, 'The mapping describes none of the files, so nothing was imported.\n']);
});
