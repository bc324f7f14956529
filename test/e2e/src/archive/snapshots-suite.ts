import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { type ClickHouse, command, connectClickHouse, stream } from '@almanac/clickhouse';
import { snapshotsResponse } from '@almanac/contracts';
import { storeArchive } from '@almanac/operator';
import { eventually, readArrow, seededRandom, testNumber } from '@almanac/testing';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import type { Answer, ApiClient } from '../api.js';
import { readyExport } from '../exports.js';
import { type SystemHarness, clickHouseOf } from '../harness.js';
import { bulkClient } from './bulk-client.js';
import { readMetrics } from '../metrics/metrics.js';

const openS = 1_771_992_900;
/** Longer than the 6 hours of one window. */
const lifeS = 8 * 3_600;
const rowsN = 3_000;
/** So many bytes that no buffer on the way holds them. */
const longRowsN = 200_000;
const [walked, endless] = ['WHOLE-LIFE', 'ENDLESS'];
const pathOf = (ticker: string): string => `/markets/${ticker}/snapshots`;
const life = `start_ts=${openS}&end_ts=${openS + lifeS}`;

interface Stored {
  readonly us: number;
  /** Its position in time order, stored as its coin price. */
  readonly n: number;
}

/** Half of the rows come in bursts with many in one step, the others at random times. */
const makeRows = (seed: number): Stored[] => {
  const random = seededRandom(seed);
  const times = new Set<number>();
  while (times.size < rowsN / 2) {
    const burst = openS * 1e6 + Math.floor(random() * (lifeS - 1) * 1e6);
    for (let row = 0; row < 200; row += 1) times.add(burst + Math.floor(random() * 2_000));
  }
  while (times.size < rowsN) times.add(openS * 1e6 + Math.floor(random() * lifeS * 1e6));
  return [...times].toSorted((a, b) => a - b).map((us, n) => ({ us, n }));
};

/** The last row of each step, computed independently of the service. */
const lastOfSteps = (stored: readonly Stored[], stepMs: number): number[] => {
  if (stepMs === 0) return stored.map(({ n }) => n);
  return [...new Map(stored.map(({ us, n }) => [Math.floor(us / (stepMs * 1_000)), n])).values()];
};

/** A format, and how to read the row numbers from a page. */
const forms = {
  'application/json': ({ bytes }: Answer) => numbered.parse(JSON.parse(bytes.toString())).snapshots.map(numberOf),
  'application/x-ndjson': ({ bytes }: Answer) => lines(bytes).map((line) => numberOf(priced.parse(JSON.parse(line)))),
  'text/csv': ({ bytes }: Answer) => {
    const [header = '', ...cells] = lines(bytes).map((line) => line.split(','));
    return cells.map((line) => Number(line[header.indexOf('"coin_price"')]));
  },
  'application/vnd.apache.parquet': async ({ bytes }: Answer) => {
    const found = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors });
    return found.map((row) => numberOf(priced.parse(row)));
  },
  'application/vnd.apache.arrow.stream': ({ bytes }: Answer) =>
    readArrow(bytes).rows.map((row) => numberOf(priced.parse(row))),
} as const;
const priced = z.object({ coin_price: z.number() });
const numbered = z.object({ snapshots: z.array(priced) });
const numberOf = ({ coin_price }: z.output<typeof priced>): number => coin_price;
const lines = (bytes: Buffer): string[] => bytes.toString().trimEnd().split(/\r?\n/).filter(Boolean);

/**
 * Tests of snapshots by page and as one stream, of a timeseries without slabs: a read that a slab answers runs no query
 * that could be stopped. It is the last suite, because it makes reads slow.
 */
export const snapshotsSuite = (system: () => SystemHarness): void => {
  const seed = testNumber('seed', 20_260_514);
  describe(`snapshots through the whole system (--seed ${seed})`, () => {
    let running: SystemHarness;
    let api: ApiClient;
    let admin: ClickHouse;
    const stored = makeRows(seed);

    before(async () => {
      running = system();
      api = await running.client('internal');
      const { infrastructure, secrets } = running.system;
      const account = { username: 'admin', password: secrets.clickhouse.admin };
      admin = connectClickHouse({ ...clickHouseOf(infrastructure), ...account });
      const times = { open_us: openS * 1e6, close_us: (openS + lifeS) * 1e6 };
      const row = { ticker: walked, series: 'S', bidCents: 40, askCents: 60 };
      await storeArchive(running.system, {
        facts: [walked, endless].map((ticker) => ({ kind: 'market', ticker, series: 'S', ...times })),
        rows: stored.map(({ us, n }) => ({
          ...row,
          second: us / 1e6,
          coinPrice: n,
          sizes: n % 3 === 0 ? [1, 2, 3] : null,
        })),
      });
      const sql = `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid, yes_best_ask, coin_price)
        SELECT '${endless}', 'S', fromUnixTimestamp64Micro(toInt64(${openS}000000 + number * 10000), 'UTC'), number,
          0.4, 0.6, toDecimal64(65000 + number % 1000, 8) / 10 FROM numbers(${longRowsN})`;
      await command(admin, { sql });
    });
    after(() => admin.close());

    /** Reads all pages, each from the position that the previous one returned. */
    const walk = async (
      query: string,
      accept: string,
      next: (page: Answer) => string | undefined,
    ): Promise<Answer[]> => {
      const pages: Answer[] = [];
      for (let at: string | undefined = `${pathOf(walked)}?${life}&${query}`; at !== undefined;) {
        const page: Answer = await api.send(at, { headers: { accept } });
        assert.equal(page.status, 200, page.bytes.toString('utf8', 0, 500));
        assert.ok(page.headers.get('content-type')?.startsWith(accept));
        pages.push(page);
        assert.ok(pages.length <= rowsN, 'a walk that does not end');
        at = next(page);
      }
      return pages;
    };
    const from = (start: number | string, query: string): string =>
      `${pathOf(walked)}?start_ts=${start}&end_ts=${openS + lifeS}&${query}`;
    const byNextStart = (query: string) => (page: Answer) => {
      const { next_start_ts: start } = snapshotsResponse.parse(JSON.parse(page.bytes.toString()));
      return start === null ? undefined : from(start, query);
    };
    const byHeader = (query: string) => (page: Answer) => {
      const start = page.headers.get('almanac-next-start-ts');
      return start === null ? undefined : from(start, query);
    };
    const byLink = ({ headers }: Answer): string | undefined =>
      /^<\/api\/v1(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

    for (const [accept, numbersIn] of Object.entries(forms)) {
      it(`as ${accept} return every stored row once, page by page, by each way to continue`, async () => {
        for (const [stepMs, more] of [
          [0, 'limit=713&include_book=true'],
          [60_000, 'limit=150'],
        ] as const) {
          const query = `step_ms=${stepMs}&${more}`;
          const ways = accept === 'application/json' ? [byNextStart(query)] : [byHeader(query), byLink];
          for (const next of ways) {
            const found: number[] = [];
            for (const page of await walk(query, accept, next)) found.push(...(await numbersIn(page)));
            assert.deepEqual(found, lastOfSteps(stored, stepMs), query);
          }
        }
      });
    }

    it('in JSON and JSON lines are the same text', async () => {
      const query = `${pathOf(walked)}?${life}&step_ms=500&limit=700&include_book=true`;
      const json = (await api.send(query)).bytes.toString();
      const ndjson = (await api.send(query, { headers: { accept: 'application/x-ndjson' } })).bytes.toString();
      assert.ok(json.endsWith(`"snapshots":[${ndjson.trimEnd().replaceAll('\n', ',')}]}`));
      assert.ok(ndjson.includes('"orderbook_yes":[['));
    });

    it('as one stream are all rows, the same bytes as their export, with trailers that say so', async () => {
      const bulk = bulkClient(running.system.baseUrls[0], api.key);
      const answer = await bulk.send(`${pathOf(endless)}?format=csv&step_ms=0`);
      assert.deepEqual([answer.status, answer.error], [200, undefined]);
      assert.equal(answer.headers['trailer'], 'Almanac-Complete, Almanac-Count, Almanac-Sha256');
      assert.deepEqual(answer.trailers, {
        'almanac-complete': 'true',
        'almanac-count': `${longRowsN}`,
        'almanac-sha256': answer.sha256,
      });
      const exported = await readyExport(api, { ticker: endless, streams: ['snapshots'], format: 'csv' });
      assert.deepEqual([exported.row_count, exported.sha256], [longRowsN, answer.sha256]);
    });

    it('as one stream are cut visibly when the gateway or timeseries ends in the middle', async () => {
      const path = `${pathOf(endless)}?format=ndjson&step_ms=0`;
      for (const [name, end] of [
        ['timeseries', 'kill'],
        ['gateway', 'end'],
      ] as const) {
        const bulk = bulkClient(running.system.baseUrls[0], api.key);
        const opened = await bulk.open(path);
        const { bytes, error } = await bulk.sendOld(path, () => running.system[end](name));
        assert.match(bytes.toString('latin1', 0, 20), /^HTTP\/1.1 200/);
        assert.notEqual(error, undefined, `${name}: ${bytes.length} bytes of HTTP/1.0 look like a complete answer`);
        const rest = await opened.finish();
        assert.notEqual(rest.error, undefined, `${name}: ${rest.bytes.length} bytes look like a complete answer`);
        assert.deepEqual(rest.trailers, {});
        await running.system.restart(name);
        await eventually(async () => assert.equal((await api.send(`${pathOf(walked)}?limit=1`)).status, 200));
      }
    });

    describe('whose client disconnects', () => {
      before(async () => {
        // Rows that take 30 s to read. A read ends at its deadline of 15 s unless it is cancelled before.
        const slow = `ADD COLUMN coin_price Nullable(Decimal(18, 8)) ALIAS
          if(sleepEachRow(0.00015) = 0, CAST(1, 'Nullable(Decimal(18, 8))'), NULL)`;
        await command(admin, { sql: 'ALTER TABLE snapshots DROP COLUMN coin_price' });
        await command(admin, { sql: `ALTER TABLE snapshots ${slow}` });
      });

      const readsRunning = async (): Promise<number> => {
        const sql = `SELECT count() FROM system.processes
          WHERE query LIKE '%FROM snapshots FINAL%' AND query NOT LIKE '%system.processes%' FORMAT TSV`;
        return Number(await text(await stream(admin, { sql })));
      };
      const queriesThat = async (outcome: string): Promise<number> =>
        (await readMetrics(running.system)).sum('almanac_clickhouse_queries_total', `outcome="${outcome}"`) ?? 0;

      it('stop their queries in ClickHouse, even waiting ones, and free their slots', async () => {
        for (const accept of ['application/json', 'text/csv']) {
          const client = new AbortController();
          const headers = { authorization: `Bearer ${api.key}`, accept };
          const url = `${running.system.baseUrls[0]}/api/v1${pathOf(endless)}?${life}`;
          const before_ = await queriesThat('cancelled');
          const pending = Array.from({ length: 8 }, (_, n) =>
            fetch(`${url}&limit=${n + 1}`, { headers, signal: client.signal }),
          );
          // Half of the slots, because all reads are of one account.
          await eventually(async () => assert.equal(await readsRunning(), 2));
          const timedOut = await queriesThat('timeout');
          client.abort();
          await Promise.allSettled(pending);
          await eventually(async () => assert.ok((await queriesThat('cancelled')) >= before_ + 2));
          await eventually(async () => assert.equal(await readsRunning(), 0));
          assert.equal(await queriesThat('timeout'), timedOut, 'none ran to its deadline');
        }
        assert.equal((await api.send(`${pathOf(endless)}?start_ts=1&end_ts=2`)).status, 200);
      });
    });
  });
};
