import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClickHouse, connectClickHouse, rows } from '@almanac/clickhouse';
import { eventually, killableServers, type KillableServers, seededRandom, testNumber } from '@almanac/testing';
import { z } from 'zod';
import type { ApiClient } from '../api.js';
import { clickHouseOf, type SystemHarness, startHarness } from '../harness.js';
import { killFaults } from './fault-injector.js';
import { runIngest } from './run-program.js';

const mapping = `name: bulk
format: csv
match: { columns: [bulk_ticker, ts_us, bid, ask] }
fields:
  ticker: { column: bulk_ticker }
  event_ticker: { ticker: '^(.+)-M[0-9]$' }
  series: { constant: BULK }
  ts: { column: ts_us, unit: us }
  yes_best_bid: { column: bid }
  yes_best_ask: { column: ask }
`;
const markets = 5;
/** With the markets, a file of more than 2 MB, which is imported by column. */
const rowsOfMarket = 14_000;
/** The rows of a file begin in one month and end in the next one. */
const monthUs = Date.UTC(2026, 3, 1) * 1_000;
const everyUs = 1_000_000;
const attemptsMax = 40;
const afterMsMax = 3_000;

const tickersOf = (file: number): readonly string[] =>
  Array.from({ length: markets }, (_, at) => `BULK-${file}-M${at}`);

interface FileRow {
  readonly index: number;
  readonly at: number;
  readonly ticker: string;
  readonly us: number;
}

const fileOf = (file: number, lineOf: (row: FileRow) => string): string => {
  const tickers = tickersOf(file);
  return Array.from({ length: rowsOfMarket * markets }, (_, index) => {
    const at = Math.floor(index / markets);
    const us = monthUs + (at - rowsOfMarket / 2) * everyUs + file;
    return lineOf({ index, at, ticker: tickers[index % markets] ?? '', us });
  }).join('');
};

const quoteLine = ({ at, ticker, us }: FileRow): string =>
  `${ticker},${us},0.${10 + (at % 80)},0.${10 + (at % 80) + 5}\n`;

/** A frame of Kalshi: the whole book of a market first, then its changes. */
const frameLine = ({ index, at, ticker: market_ticker, us }: FileRow): string => {
  const book = { yes_dollars_fp: [['0.4000', '9.00']], no_dollars_fp: [['0.5000', '9.00']] };
  const change = { side: 'yes', price_dollars: `0.${10 + (at % 30)}00`, delta_fp: '1.00' };
  const msg = { market_ticker, ...(at === 0 ? book : change) };
  const type = at === 0 ? 'orderbook_snapshot' : 'orderbook_delta';
  return `{"recv_ts_ns":${us}000,"raw":${JSON.stringify(JSON.stringify({ type, sid: 1, seq: index + 1, msg }))}}\n`;
};

/** Every other file is a recording of books. */
const writtenFile = async (
  folder: string,
  file: number,
): Promise<{ readonly path: string; readonly args: string[] }> => {
  const isOfBooks = file % 2 === 0;
  const path = join(folder, isOfBooks ? `frames-${file}.jsonl` : `bulk-${file}.csv`);
  const text = isOfBooks ? fileOf(file, frameLine) : `bulk_ticker,ts_us,bid,ask\n${fileOf(file, quoteLine)}`;
  await writeFile(path, text);
  return {
    path,
    args: [path, ...(isOfBooks ? ['--sample', 'every-change'] : ['--mapping', join(folder, 'bulk.yaml')])],
  };
};

interface Context {
  readonly running: SystemHarness;
  readonly clickhouse: ClickHouse;
  readonly api: ApiClient;
  readonly random: () => number;
  readonly kills: Readonly<Record<string, (importer: ReturnType<typeof runIngest>) => Promise<void>>>;
}

/** Kills the importer, a service or a server at a random moment of imports by column. */
export const bulkSurvivesKills = ({ kills, seed: usual }: { kills: number; seed: number }): void => {
  const seed = testNumber('seed', usual);
  const count = testNumber('kills', kills);
  void describe(`${count} imports by column, each with a kill -9`, { timeout: 3_600_000 }, () => {
    void it(`show each market and month whole or not at all, and store all with the same command (--seed ${seed})`, async (test) => {
      const folder = await mkdtemp(join(tmpdir(), 'almanac-bulk-'));
      const servers = await killableServers();
      const running = await startHarness({ servers: servers.starters });
      const clickhouse = connectClickHouse({
        ...clickHouseOf(running.system.infrastructure),
        username: 'admin',
        password: running.system.secrets.clickhouse.admin,
      });
      try {
        await writeFile(join(folder, 'bulk.yaml'), mapping);
        const random = seededRandom(seed);
        const context = {
          running,
          clickhouse,
          api: await running.client('full_book'),
          random,
          kills: killsOf(running, servers, random),
        };
        const figures: Record<string, number> = {};
        for (let file = 1; file <= count; file += 1) await importWithKill(context, { folder, file, figures });
        test.diagnostic(JSON.stringify(figures));
      } finally {
        await clickhouse.close();
        await running.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
};

const killsOf = ({ system }: SystemHarness, servers: KillableServers, random: () => number): Context['kills'] => {
  const service = (name: string) => async (): Promise<void> => {
    for (const kill of Object.values(killFaults(system, random)(name))) await kill();
  };
  return {
    importer: (importer) => Promise.resolve(importer.kill('SIGKILL')),
    timeseries: service('timeseries'),
    catalog: service('catalog'),
    clickhouse: () => servers.killAndRestart('clickhouse', random() * 500),
    nats: () => servers.killAndRestart('nats', random() * 500),
  };
};

const importWithKill = async (
  context: Context,
  { folder, file, figures }: { folder: string; file: number; figures: Record<string, number> },
): Promise<void> => {
  const { path, args } = await writtenFile(folder, file);
  const names = Object.keys(context.kills);
  const name = names[file % names.length] ?? '';
  let output = '';
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const importer = runIngest('main', args, { ALMANAC_HOME: context.running.home });
    const watching = watch(context, file, importer.ended);
    if (attempt === 1) {
      await delay(context.random() * afterMsMax);
      await context.kills[name]?.(importer);
    }
    const code = await importer.ended;
    await watching;
    output = importer.output();
    if (code !== 0) continue;
    const key = `kill ${name}, ${attempt === 1 ? 'first attempt' : 'later attempt'}`;
    figures[key] = (figures[key] ?? 0) + 1;
    await assertStored(context, file);
    await rm(path);
    return;
  }
  assert.fail(`file ${file} was not imported after kill ${name}: ${output}`);
};

const counted = z.object({ ticker: z.string(), month: z.int(), n: z.coerce.number() });

const storedRows = ({ clickhouse }: Context, file: number) =>
  rows(
    clickhouse,
    {
      sql: `SELECT ticker, toYYYYMM(ts) AS month, uniqExact(ts) AS n FROM snapshots
        WHERE ticker IN {tickers:Array(String)} GROUP BY ticker, month`,
      params: { tickers: tickersOf(file) },
    },
    counted,
  );

/** Until the import ends: of each month, all rows of a market are there, or none. */
const watch = async (context: Context, file: number, ended: Promise<unknown>): Promise<void> => {
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!isOver) {
    const found = await storedRows(context, file).catch(() => []);
    for (const { ticker, month, n } of found) assert.equal(n, rowsOfMarket / 2, `${ticker} in ${month} is half`);
    await delay(20);
  }
};

const assertStored = async (context: Context, file: number): Promise<void> => {
  const found = await storedRows(context, file);
  assert.deepEqual(
    found.map(({ n }) => n),
    Array.from({ length: 2 * markets }, () => rowsOfMarket / 2),
  );
  // Its event may come from another process, two minutes later. The next attempt of the same command announces it, too.
  const [ticker] = tickersOf(file);
  await eventually(async () => {
    const { matched } = await context.api.json(
      z.object({ matched: z.int() }),
      `/markets/${ticker}/snapshots?step_ms=0&limit=1&start_ts=${monthUs / 1e6 - rowsOfMarket}&end_ts=${monthUs / 1e6 + rowsOfMarket}`,
    );
    assert.equal(matched, rowsOfMarket);
  });
};
