// 600,000 rows, which take minutes and measure memory. `snapshots-suite.ts` has a smaller stream.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type ClickHouse, command, connectClickHouse, stream } from '@almanac/clickhouse';
import { exportResponse } from '@almanac/contracts';
import { storeArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { type ApiClient, poll } from '../api.js';
import { type BulkAnswer, bulkClient } from './bulk-client.js';
import { type SystemHarness, startHarness, clickHouseOf } from '../harness.js';
import { type ReconfigurableServers, reconfigurableServers } from '../faults/reconfigurable-servers.js';

const openS = 1_771_992_900;
const rowsN = 600_000;
/** Ten rows a second: 16 h 40 min, longer than the 6 hours of a page. */
const lifeS = rowsN / 10;
const [long, short] = ['KXBULK-26FEB25', 'KXBULK-SHORT'];
const path = `/markets/${long}/snapshots`;

const seqsOfCsv = (bytes: Buffer): number[] => {
  const [header = '', ...lines] = bytes.toString().trimEnd().split('\r\n');
  const at = header.split(',').indexOf('"seq"');
  return lines.map((line) => Number(line.split(',')[at]));
};
const shownRows = z.array(
  z.object({
    seq: z.union([z.bigint(), z.number()]),
    yes_best_bid: z.number(),
    orderbook_yes: z.array(z.array(z.number())),
  }),
);
const upTo = (count: number, step = 1): number[] => Array.from({ length: count }, (_, index) => index * step);

describe('a bulk read of snapshots', { timeout: 290_000 }, () => {
  let running: SystemHarness;
  let servers: ReconfigurableServers;
  let api: ApiClient;
  let bulk: ReturnType<typeof bulkClient>;
  let admin: ClickHouse;

  before(async () => {
    servers = reconfigurableServers();
    running = await startHarness({ servers: servers.starters });
    api = await running.client('internal');
    bulk = bulkClient(running.system.baseUrls[0], api.key);
    const { infrastructure, secrets } = running.system;
    const account = { username: 'admin', password: secrets.clickhouse.admin };
    admin = connectClickHouse({ ...clickHouseOf(infrastructure), ...account });
    const times = { open_us: openS * 1e6, close_us: (openS + lifeS) * 1e6 };
    const row = { series: 'KXBULK', bidCents: 40, askCents: 60, coinPrice: 1, sizes: [1] };
    const event_ticker = 'KXBULK-E';
    await storeArchive(running.system, {
      facts: [long, short].map((ticker) => ({ kind: 'market', ticker, series: 'KXBULK', event_ticker, ...times })),
      rows: [
        { ...row, ticker: long, second: openS },
        { ...row, ticker: long, second: openS + lifeS - 0.1 },
        ...upTo(10).map((second) => ({ ...row, ticker: short, second: openS + second })),
      ],
    });
    // The same rows again, and all between them.
    await command(admin, {
      sql: `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid, yes_best_ask, coin_price, has_book, orderbook_yes)
        SELECT '${long}', 'KXBULK', fromUnixTimestamp64Micro(toInt64(${openS}000000 + number * 100000), 'UTC'), number,
          toDecimal32(number % 100, 6) / 100, 0.6, toDecimal64(65000 + number % 1000, 8) / 10, number % 2 = 0,
          if(number % 2 = 0, [(toDecimal32(0.4, 6), toDecimal64(2.5, 6))], []) FROM numbers(${rowsN})`,
    });
  });
  after(async () => {
    await admin.close();
    await running.stop();
    await servers.close();
  });

  const assertWhole = ({ status, error, headers, trailers, sha256 }: BulkAnswer, count: number): void => {
    assert.deepEqual([status, error], [200, undefined]);
    assert.equal(headers['trailer'], 'Almanac-Complete, Almanac-Count, Almanac-Sha256');
    assert.deepEqual([headers['content-length'], headers['almanac-complete']], [undefined, undefined]);
    assert.deepEqual(trailers, { 'almanac-complete': 'true', 'almanac-count': `${count}`, 'almanac-sha256': sha256 });
  };
  const assertCut = ({ error, trailers, bytes }: Pick<BulkAnswer, 'error' | 'trailers' | 'bytes'>): void => {
    assert.notEqual(error, undefined, `${bytes.length} bytes look like a complete answer`);
    assert.deepEqual(trailers, {});
  };
  const queriesRunning = async (): Promise<number> => {
    const sql = `SELECT count() FROM system.processes
      WHERE query LIKE '%FROM snapshots FINAL%' AND query NOT LIKE '%system.processes%' FORMAT TSV`;
    return Number(await text(await stream(admin, { sql })));
  };
  const residentMb = async (name: string): Promise<number> => {
    const pid = running.system.services.get(name)?.pid;
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1_024);
  };

  it('as CSV is one answer with all rows of the market, the same bytes as its export', async () => {
    const answer = await bulk.send(`${path}?format=csv&step_ms=0`);
    assertWhole(answer, rowsN);
    assert.deepEqual(seqsOfCsv(answer.bytes), upTo(rowsN));
    const { headers } = answer;
    assert.deepEqual(
      [headers['almanac-start-ts'], headers['almanac-end-ts'], headers['almanac-has-more'], headers['link']],
      [`${openS}`, `${openS + lifeS}.000001`, 'false', undefined],
    );
    const body = JSON.stringify({ ticker: long, streams: ['snapshots'], format: 'csv' });
    const { id } = await api.json(exportResponse, '/exports', { method: 'POST', body });
    const ready = await poll(
      () => api.json(exportResponse, `/exports/${id}`),
      ({ status }) => status !== 'pending',
    );
    assert.deepEqual([ready.row_count, ready.sha256], [rowsN, answer.sha256]);
  });

  it('keeps the last row of each step, and the bounds that were sent', async () => {
    const [start, seconds] = [openS + 100, 36_000];
    for (const accept of ['application/x-ndjson', 'text/csv']) {
      const answer = await bulk.send(`${path}?start_ts=${start}&end_ts=${start + seconds}`, { accept });
      assertWhole(answer, seconds);
      const seqs =
        accept === 'text/csv'
          ? seqsOfCsv(answer.bytes)
          : z
              .array(z.object({ seq: z.int() }))
              .parse(JSON.parse(`[${answer.bytes.toString().trimEnd().replaceAll('\n', ',')}]`))
              .map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        upTo(seconds, 10).map((seq) => seq + 1_009),
      );
    }
  });

  it('as Parquet has decimals, or floats and nested lists of floats on request', async () => {
    for (const [numbers, price, levels] of [
      ['decimal', 'FIXED_LEN_BYTE_ARRAY', undefined],
      ['float', 'DOUBLE', 'DOUBLE'],
    ] as const) {
      const answer = await bulk.send(`${path}?format=parquet&step_ms=0&include_book=true&numbers=${numbers}`);
      assertWhole(answer, rowsN);
      const file = new Uint8Array(answer.bytes).buffer;
      const metadata = parquetMetadata(file);
      const columns = new Map(parquetSchema(metadata).children.map((child) => [child.element.name, child]));
      const leaf = columns.get('orderbook_yes')?.children[0]?.children[0]?.children[0]?.children[0]?.element;
      if (numbers === 'float') {
        for (const name of ['yes_best_bid', 'yes_best_ask', 'coin_price'])
          assert.equal(columns.get(name)?.element.type, price, name);
        assert.equal(leaf?.type, levels);
      } else assert.equal(columns.get('coin_price')?.element.logical_type?.type, 'DECIMAL');
      assert.ok(metadata.row_groups.length > 1);
      const rows = shownRows.parse(await parquetReadObjects({ file, compressors, rowStart: 0, rowEnd: 3 }));
      // The reader turns decimals into floats with noise, which floats do not have.
      const shown = (number: number): number => (numbers === 'float' ? number : Number(number.toFixed(6)));
      assert.deepEqual(
        rows.map(({ seq, yes_best_bid, orderbook_yes }) => [
          Number(seq),
          shown(yes_best_bid),
          orderbook_yes.map((level) => level.map(shown)),
        ]),
        [
          [0, 0, [[0.4, 2.5]]],
          [1, 0.01, []],
          [2, 0.02, [[0.4, 2.5]]],
        ],
      );
    }
  });

  it('is compressed on request, and its hash is that of the rows', async () => {
    const answer = await bulk.send(`${path}?format=csv`, { 'accept-encoding': 'gzip' });
    const plain = await bulk.send(`${path}?format=csv`);
    assertWhole(plain, lifeS);
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.deepEqual(answer.trailers, plain.trailers);
    assert.ok(gunzipSync(answer.bytes).equals(plain.bytes));
  });

  it('that is short has a length, an ETag and the same fields as headers', async () => {
    const shortPath = `/markets/${short}/snapshots?format=csv`;
    const { headers, trailers, sha256, bytes } = await bulk.send(shortPath);
    assert.deepEqual(
      [headers['content-length'], headers['almanac-complete'], headers['almanac-count'], headers['almanac-sha256']],
      [`${bytes.length}`, 'true', '10', sha256],
    );
    assert.deepEqual([trailers, headers['trailer']], [{}, undefined]);
    const again = await bulk.send(shortPath, { 'if-none-match': headers.etag ?? '' });
    assert.equal(again.status, 304);
    const head = await fetch(`${running.system.baseUrls[0]}/api/v1${shortPath}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${api.key}` },
    });
    assert.equal(head.headers.get('almanac-count'), '10');
  });

  it('with limit is a page that says whether more follows', async () => {
    const { headers, trailers, bytes } = await bulk.send(`${path}?format=csv&step_ms=0&limit=5`);
    assert.deepEqual([headers['almanac-has-more'], headers['almanac-count'], trailers], ['true', '5', {}]);
    assert.equal(seqsOfCsv(bytes).length, 5);
    const refused = await api.send(`${path}?format=xml&numbers=int`);
    assert.equal(refused.status, 422);
    const { detail } = z
      .object({ detail: z.array(z.looseObject({ msg: z.string() })) })
      .parse(JSON.parse(refused.bytes.toString()));
    assert.deepEqual(
      detail.map(({ msg }) => msg),
      ["Input should be 'decimal' or 'float'", "Input should be 'json', 'csv', 'ndjson', 'parquet' or 'arrow'"],
    );
    const json = await bulk.send(`${path}?format=json`, { accept: 'text/csv' });
    assert.equal(z.object({ count: z.int() }).parse(JSON.parse(json.bytes.toString())).count, 1_000);
  });

  it('waits for a slow client in little memory, and frees everything when the client leaves', async () => {
    const idle = { gateway: await residentMb('gateway'), timeseries: await residentMb('timeseries') };
    const slow = await bulk.open(`${path}?format=ndjson&step_ms=0`);
    const leaving = await bulk.open(`${path}?format=csv&step_ms=0`);
    assert.equal(await queriesRunning(), 2);
    const third = await bulk.send(`${path}?format=csv&step_ms=0`);
    assert.deepEqual([third.status, third.headers['retry-after']], [503, '1']);
    assert.match(third.bytes.toString(), /already has 2 bulk reads open/);
    // Longer than the time after which a lost reader or producer would be noticed.
    await delay(8_000);
    for (const name of ['gateway', 'timeseries'] as const) {
      const grown = (await residentMb(name)) - idle[name];
      assert.ok(grown < 150, `${name} grew by ${grown} MB`);
    }
    leaving.leave();
    await eventually(async () => assert.equal(await queriesRunning(), 1));
    assertWhole(await slow.finish(), rowsN);
    await eventually(async () => assert.equal(await queriesRunning(), 0));
  });

  it('is cut visibly when the gateway or timeseries ends, or ClickHouse dies in its middle', async () => {
    const { system } = running;
    const restarts = {
      gateway: async () => {
        await system.end('gateway');
        return () => system.restart('gateway');
      },
      killed: async () => {
        await system.kill('timeseries');
        return () => system.restart('timeseries');
      },
      stopped: async () => {
        await system.end('timeseries');
        return () => system.restart('timeseries');
      },
      clickhouse: async () => {
        await servers.kill('clickhouse');
        return () => servers.startAgain('clickhouse', 'none');
      },
    };
    for (const [name, end] of Object.entries(restarts)) {
      const opened = await bulk.open(`${path}?format=csv&step_ms=0`);
      let restart = (): Promise<void> => Promise.resolve();
      const { bytes, error } = await bulk.sendOld(`${path}?format=ndjson&step_ms=0`, async () => {
        restart = await end();
      });
      assert.match(bytes.toString('latin1', 0, 20), /^HTTP\/1.1 200/, bytes.toString('utf8', 0, 900));
      assert.notEqual(error, undefined, `${name}: ${bytes.length} bytes of HTTP/1.0 look like a complete answer`);
      assertCut(await opened.finish());
      await restart();
      await eventually(async () => assert.equal((await bulk.send(`${path}?format=csv&step_ms=60000`)).status, 200));
    }
    const { bytes, error } = await bulk.sendOld(`${path}?format=ndjson&step_ms=0`);
    assert.deepEqual(
      [error, bytes.toString('latin1').split('\r\n\r\n')[1]?.trimEnd().split('\n').length],
      [undefined, rowsN],
    );
  });
});
