import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { type ClickHouse, command, connectClickHouse, stream } from '@almanac/clickhouse';
import { snapshotsResponse } from '@almanac/contracts';
import { storeArchive } from '@almanac/system';
import { eventually } from '@almanac/testing';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import type { Answer, ApiClient } from './api.js';
import { type SystemHarness, startHarness, clickHouseOf } from './harness.js';

const openS = 1_771_992_900;
/** Longer than the 6 hours of one window. */
const lifeS = 8 * 3_600;
const rowsN = 20_000;
const fullFile = 'WHOLE-LIFE';
const endless = 'ENDLESS';
const path = `/markets/${fullFile}/snapshots`;

interface Stored {
  readonly us: number;
  /** Its position in time order, stored as its coin price. */
  readonly n: number;
}

/** Half of the rows come in bursts with many in one step, the others at random times. */
const makeRows = (): Stored[] => {
  const times = new Set<number>();
  while (times.size < rowsN / 2) {
    const burst = openS * 1e6 + Math.floor(Math.random() * (lifeS - 1) * 1e6);
    for (let row = 0; row < 200; row += 1) times.add(burst + Math.floor(Math.random() * 2_000));
  }
  while (times.size < rowsN) times.add(openS * 1e6 + Math.floor(Math.random() * lifeS * 1e6));
  return [...times].toSorted((a, b) => a - b).map((us, n) => ({ us, n }));
};

const isBooked = (n: number): boolean => n % 3 === 0;

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
} as const;
const priced = z.object({ coin_price: z.number() });
const numbered = z.object({ snapshots: z.array(priced) });
const numberOf = ({ coin_price }: z.output<typeof priced>): number => coin_price;
const lines = (bytes: Buffer): string[] => bytes.toString().trimEnd().split(/\r?\n/).filter(Boolean);

describe('snapshots through the whole system', () => {
  let running: SystemHarness;
  let api: ApiClient;
  let admin: ClickHouse;
  const stored = makeRows();

  before(async () => {
    // A read that a slab answers runs no query that could be stopped. Slabs have tests of their own in timeseries.
    running = await startHarness({ environment: { timeseries: { SLABS_MB: '0' } } });
    api = await running.client('internal');
    const { infrastructure, secrets } = running.system;
    const account = { username: 'admin', password: secrets.clickhouse.admin };
    admin = connectClickHouse({ ...clickHouseOf(infrastructure), ...account });
    const times = { open_us: openS * 1e6, close_us: (openS + lifeS) * 1e6 };
    await storeArchive(running.system, {
      facts: [fullFile, endless].map((ticker) => ({ kind: 'market', ticker, series: 'S', ...times })),
      rows: stored.map(({ us, n }) => ({
        ticker: fullFile,
        series: 'S',
        second: us / 1e6,
        bidCents: 40,
        askCents: 60,
        coinPrice: n,
        sizes: isBooked(n) ? [1, 2, 3] : null,
      })),
    });
  });
  after(async () => {
    await admin.close();
    await running.stop();
  });

  const life = `start_ts=${openS}&end_ts=${openS + lifeS}`;
  /** Reads all pages, each from the position that the previous one returned. */
  const walk = async (query: string, accept: string, next: (page: Answer) => string | undefined): Promise<Answer[]> => {
    const pages: Answer[] = [];
    for (let at: string | undefined = `${path}?${life}&${query}`; at !== undefined;) {
      const page: Answer = await api.send(at, { headers: { accept } });
      assert.equal(page.status, 200, page.bytes.toString('utf8', 0, 500));
      pages.push(page);
      assert.ok(pages.length <= rowsN, 'a walk that does not end');
      at = next(page);
    }
    return pages;
  };
  const byNextStart = (query: string) => (page: Answer) => {
    const { next_start_ts: start } = snapshotsResponse.parse(JSON.parse(page.bytes.toString()));
    return start === null ? undefined : `${path}?start_ts=${start}&end_ts=${openS + lifeS}&${query}`;
  };
  const byHeader = (query: string) => (page: Answer) => {
    const start = page.headers.get('almanac-next-start-ts');
    return start === null ? undefined : `${path}?start_ts=${start}&end_ts=${openS + lifeS}&${query}`;
  };
  const byLink = ({ headers }: Answer): string | undefined =>
    /^<\/api\/v1(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

  for (const [accept, numbersIn] of Object.entries(forms)) {
    it(`as ${accept} return every stored row once, page by page, whatever step and limit`, async () => {
      for (const [stepMs, limit, more] of [
        [0, 5_000, ''],
        [0, 1_713, '&include_book=true'],
        [1, 5_000, ''],
        [1_000, 999, ''],
        [60_000, 50, '&include_book=true'],
      ] as const) {
        const query = `step_ms=${stepMs}&limit=${limit}${more}`;
        const ways = accept === 'application/json' ? [byNextStart(query)] : [byHeader(query), byLink];
        for (const next of ways) {
          const pages = await walk(query, accept, next);
          const found: number[] = [];
          for (const page of pages) {
            assert.ok(page.headers.get('content-type')?.startsWith(accept));
            found.push(...(await numbersIn(page)));
          }
          assert.deepEqual(found, lastOfSteps(stored, stepMs), query);
        }
      }
    });
  }

  it('in JSON and JSON lines are the same text', async () => {
    const query = `${path}?${life}&step_ms=500&limit=700&include_book=true`;
    const json = (await api.send(query)).bytes.toString();
    const ndjson = (await api.send(query, { headers: { accept: 'application/x-ndjson' } })).bytes.toString();
    assert.ok(json.endsWith(`"snapshots":[${ndjson.trimEnd().replaceAll('\n', ',')}]}`));
    assert.ok(ndjson.includes('"orderbook_yes":[['));
  });

  describe('whose client disconnects', () => {
    before(async () => {
      // A million rows that take 30 s to read. A read ends at its deadline of 15 s unless it is cancelled before.
      const slow = `ADD COLUMN coin_price Nullable(Decimal(18, 8)) ALIAS
        if(sleepEachRow(0.00003) = 0, CAST(1, 'Nullable(Decimal(18, 8))'), NULL)`;
      await command(admin, { sql: 'ALTER TABLE snapshots DROP COLUMN coin_price' });
      await command(admin, { sql: `ALTER TABLE snapshots ${slow}` });
      const sql = `INSERT INTO snapshots (ticker, series, ts) SELECT '${endless}', 'S',
        fromUnixTimestamp64Micro(toInt64(${openS}000000 + number * 10000), 'UTC') FROM numbers(1000000)`;
      await command(admin, { sql });
    });

    const readsRunning = async (): Promise<number> => {
      const sql = `SELECT count() FROM system.processes
        WHERE query LIKE '%FROM snapshots FINAL%' AND query NOT LIKE '%system.processes%' FORMAT TSV`;
      return Number(await text(await stream(admin, { sql })));
    };

    const endOf = (pending: Promise<Response>): Promise<string> =>
      pending.then(
        ({ status }) => String(status),
        (error: unknown) => (error instanceof Error ? error.name : String(error)),
      );

    it('stop their queries in ClickHouse, even waiting ones, and free their slots', async () => {
      for (const accept of Object.keys(forms)) {
        const client = new AbortController();
        const pending = Array.from({ length: 8 }, (_, n) =>
          fetch(`${running.system.baseUrls[0]}/api/v1/markets/${endless}/snapshots?${life}&limit=${n + 1}`, {
            headers: { authorization: `Bearer ${api.key}`, accept },
            signal: client.signal,
          }),
        );
        // Half of the slots, because all reads are of one account.
        await eventually(async () => assert.equal(await readsRunning(), 2));
        client.abort();
        const ends = await Promise.all(pending.map(endOf));
        // On a busy machine the first of them may reach their deadline.
        assert.deepEqual(new Set(ends.filter((end) => end !== '503')), new Set(['AbortError']));
        // Before any deadline: otherwise two of them would run to theirs, and then the waiting ones as well.
        await eventually(async () => assert.equal(await readsRunning(), 0), { timeoutMs: 12_000 });
      }
      assert.equal((await api.send(`${path}?start_ts=1&end_ts=2`)).status, 200);
    });
  });
});
