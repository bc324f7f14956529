// 10 million rows and 200 connections, which take minutes and measure memory and times. `slow-readers.int.spec.ts` of
// timeseries has twenty readers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { type ClickHouse, command, connectClickHouse } from '@almanac/clickhouse';
import { connectOperator, createAccount, storeArchive } from '@almanac/operator';
import type { ApiClient } from '../api.js';
import { bulkClient, type OpenAnswer } from './bulk-client.js';
import { processorRates } from './processor-rates.js';
import { clickHouseOf, type SystemHarness, startHarness } from '../harness.js';

const openS = 1_771_992_900;
const rowsN = Number(process.env['ALMANAC_TEST_ROWS'] ?? 10_000_000);
const otherRowsN = 100_000;
const readersN = 200;
const [long, other] = ['KXSLOW-LONG', 'KXSLOW-OTHER'];

describe('two hundred slow readers of ten million rows', { timeout: 1_500_000 }, () => {
  let running: SystemHarness;
  let admin: ClickHouse;
  let keys: string[];
  let honest: ApiClient;

  before(async () => {
    running = await startHarness();
    const { infrastructure, secrets } = running.system;
    admin = connectClickHouse({
      ...clickHouseOf(infrastructure),
      username: 'admin',
      password: secrets.clickhouse.admin,
      requestTimeoutMs: 900_000,
    });
    const rowsOf = { [long]: rowsN, [other]: otherRowsN };
    const row = { series: 'KXSLOW', bidCents: 40, askCents: 60, coinPrice: 1, sizes: [1] };
    await storeArchive(running.system, {
      facts: Object.entries(rowsOf).map(([ticker, count]) => ({
        kind: 'market',
        ticker,
        series: 'KXSLOW',
        event_ticker: 'KXSLOW-E',
        open_us: openS * 1e6,
        close_us: (openS + count) * 1e6,
      })),
      rows: Object.entries(rowsOf).flatMap(([ticker, count]) =>
        [0, count - 1].map((second) => ({ ...row, ticker, second: openS + second })),
      ),
    });
    for (const [ticker, count] of Object.entries(rowsOf)) {
      await command(admin, {
        sql: `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid, yes_best_ask, coin_price)
          SELECT '${ticker}', 'KXSLOW', fromUnixTimestamp64Micro(toInt64(${openS}000000 + number * 1000000), 'UTC'), number,
            toDecimal32(number % 100, 6) / 100, 0.6, toDecimal64(65000 + number % 1000, 8) / 10 FROM numbers(${count})`,
        settings: { max_partitions_per_insert_block: '0' },
      });
    }
    const bus = await connectOperator({ url: infrastructure.natsUrl, password: secrets.nats.operator });
    keys = [];
    for (let account = 0; account < readersN / 2; account += 1)
      keys.push((await createAccount(bus, { plan: 'internal', keyName: 'slow' })).key);
    await bus.close();
    honest = await running.client('internal');
  });
  after(async () => {
    await admin.close();
    await running.stop();
  });

  const residentMb = async (name: string): Promise<number> => {
    const pid = running.system.services.get(name)?.pid;
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1_024);
  };
  const memory = async () => ({ gateway: await residentMb('gateway'), timeseries: await residentMb('timeseries') });
  /** Windows that no cache has, one after the other. */
  const timesOf = async (pages: number, from: number): Promise<number[]> => {
    const times: number[] = [];
    for (let page = 0; page < pages; page += 1) {
      const start = openS + from + page * 400;
      const beganAt = performance.now();
      const answer = await honest.send(`/markets/${other}/snapshots?step_ms=0&start_ts=${start}&limit=900`);
      assert.equal(answer.status, 200, answer.bytes.toString());
      times.push(performance.now() - beganAt);
    }
    return times.toSorted((one, two) => one - two);
  };
  /** Processor seconds a second of each program, while work runs. Readers of this process are `clients`. */
  const measured = <T>(work: () => Promise<T>) => {
    const { services, infrastructure } = running.system;
    const servers = infrastructure.servers.map(({ name, process: { pid } }) => [name, pid] as const);
    const ofServices = Array.from(services, ([name, { pid }]) => [name, pid] as const);
    return processorRates(new Map([['clients', process.pid], ...servers, ...ofServices]), work);
  };
  /** Until the buffers of all readers are full: timeseries then only sends what they take. */
  const untilFilled = async (): Promise<void> => {
    for (let rate = 1; rate > 0.25;) {
      const { rates } = await measured(() => new Promise((resolve) => setTimeout(resolve, 5_000)));
      rate = rates['timeseries'] ?? 0;
    }
  };
  const p95 = (times: readonly number[]): number => Math.round(times[Math.floor(times.length * 0.95)] ?? 0);

  it('take no memory that grows, hold no slot, and slow nobody down', async (t) => {
    await timesOf(20, 0);
    const bulk = bulkClient(running.system.baseUrls[0], honest.key);
    const whole = `/markets/${other}/snapshots?format=csv&step_ms=0`;
    await bulk.send(whole);
    const idle = await memory();
    const calm = await measured(() => timesOf(100, 10_000));
    const alone = p95(calm.result);
    const bulkAloneAt = performance.now();
    assert.equal((await bulk.send(whole)).trailers['almanac-complete'], 'true');
    const bulkAloneMs = Math.round(performance.now() - bulkAloneAt);

    const formats = ['csv', 'ndjson', 'csv', 'parquet'];
    const opened: OpenAnswer[] = [];
    const answers: Record<string, { n: number; ms: number }> = {};
    // Each takes a little in turn, so none is disconnected for reading nothing.
    let isOver = false;
    const reading = (async () => {
      while (!isOver) {
        for (const { response } of opened) response.read(65_536);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
      }
    })();
    for (let reader = 0; reader < readersN; reader += 1) {
      const format = formats[reader % formats.length];
      const slow = bulkClient(running.system.baseUrls[0], keys[reader % keys.length] ?? '');
      const beganAt = performance.now();
      const answer = await slow.open(`/markets/${long}/snapshots?format=${format}&step_ms=0`);
      const kind = (answers[`${format} ${answer.response.statusCode}`] ??= { n: 0, ms: 0 });
      kind.n += 1;
      kind.ms += Math.round(performance.now() - beganAt);
      answer.response.on('error', () => undefined);
      if (answer.response.statusCode === 200) opened.push(answer);
      else answer.leave();
    }
    const areOpen = (): number => opened.filter(({ response }) => !response.destroyed).length;
    const during = await memory();
    const opening = p95(await timesOf(100, 55_000));
    await untilFilled();
    const busy = await measured(() => timesOf(100, 20_000));
    const beside = p95(busy.result);
    const bulkBesideAt = performance.now();
    const besideAnswer = await bulk.send(whole);
    const bulkBesideMs = Math.round(performance.now() - bulkBesideAt);
    const later = await memory();
    const readers = areOpen();
    const { status } = await honest.send(`/markets/${other}/snapshots?step_ms=0&start_ts=${openS + 98_000}&limit=900`);
    isOver = true;
    await reading;
    for (const answer of opened) answer.leave();
    t.diagnostic(
      `Remark: ${JSON.stringify({ answers, readers, opening, opened: opened.length, rows: rowsN, alone, beside, bulkAloneMs, bulkBesideMs, idle, during, later, processors: { alone: calm.rates, beside: busy.rates } })}`,
    );
    assert.equal(besideAnswer.trailers['almanac-complete'], 'true', besideAnswer.bytes.toString('utf8', 0, 300));
    assert.equal(status, 200, 'a small read of another account');
    for (const kind of Object.keys(answers)) assert.match(kind, / (?:200|503)$/);
    // All of CSV and JSON lines. Of Parquet, two are open at a time.
    assert.ok(readers > readersN / 2, `${readers} readers`);
    // Each reader has a chunk of half a megabyte there.
    const most = { gateway: 200, timeseries: 150 };
    for (const name of ['gateway', 'timeseries'] as const)
      for (const { [name]: mb } of [during, later])
        assert.ok(mb - idle[name] < most[name], `${name} grew by ${mb - idle[name]} MB`);
  });
});
