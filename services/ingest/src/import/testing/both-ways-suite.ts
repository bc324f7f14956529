import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type Bus, connectBus, rpcClient } from '@almanac/bus';
import { command, rows } from '@almanac/clickhouse';
import { type CatalogueFact, everyChangeUs } from '@almanac/contracts';
import { busArchive } from '../../bus-archive.js';
import type { Archive } from '../../archive.js';
import type { Mappings } from '../files/detect-format.js';
import { parseMapping } from '../../mapping/load-mapping.js';
import { receivingArchive } from '../../testing/receiving-archive.js';
import { runImport } from '../run-import.js';
import { importSummary } from '../report/summary.js';
import { dirtyChanges } from './dirty-changes.js';
import { dirtyCsv, dirtyParquet } from './dirty-files.js';
import { dirtyFrames } from './dirty-frames.js';
import { dirtyHour } from './dirty-hours.js';
import { dirtyQuotes } from './dirty-quotes.js';
import { dirtyTrades } from './dirty-trades.js';
import { hourCatalogue, hourFile } from './hours.js';
import { withFolder } from './with-folder.js';

const texts = (columns: string): string =>
  columns
    .split(' ')
    .map((column) => `toString(${column}) AS ${column}`)
    .join(', ');

const tradesSql = `SELECT * REPLACE (${texts('venue_ts received_ts price size')}) FROM trades FINAL ORDER BY ticker, trade_id`;
const snapshotsSql = `SELECT * REPLACE (${texts(
  'ts venue_ts seq yes_best_bid yes_best_ask coin_price yes_best_bid_size yes_best_ask_size orderbook_yes orderbook_no',
)}) FROM snapshots FINAL ORDER BY ticker, ts`;

interface DirtyFiles {
  readonly paths: readonly string[];
  readonly mappings: Mappings;
  readonly exact: boolean;
  readonly sampleUs?: number;
}

type WriteFiles = (folder: string, seed: number) => Promise<DirtyFiles>;

const rarelyOf = (seed: number): number => (seed % 4 === 0 ? 40 : 3);

const rowFiles =
  (dirtyRows: typeof dirtyQuotes): WriteFiles =>
  async (folder, seed) => {
    const dirty = dirtyRows(seed, { rarely: rarelyOf(seed) });
    const isCsv = seed % 3 !== 0;
    const path = join(folder, `rows-${seed}.${isCsv ? 'csv' : 'parquet'}`);
    await writeFile(path, isCsv ? dirtyCsv(dirty, seed) : dirtyParquet(dirty, seed));
    return { paths: [path], mappings: parseMapping(dirty.mapping, 'mine.yaml'), exact: seed % 5 === 0 };
  };

const samplesUs = [everyChangeUs, 100_000, 1_000_000] as const;
const sampleOf = (seed: number): number => samplesUs[seed % samplesUs.length] ?? everyChangeUs;

const hourFiles: WriteFiles = async (folder, seed) => {
  const [catalogue, hour] = [join(folder, `gamma-${seed}.jsonl`), join(folder, `books_2026-08-10T12-${seed}.parquet`)];
  const isUnknown = seed % 7 === 0;
  await writeFile(catalogue, hourCatalogue(isUnknown ? 2 : 4));
  const pages = { rowGroupSize: 150 + ((seed * 37) % 400), pageSize: 400 + ((seed * 911) % 6_000) };
  await writeFile(hour, hourFile(dirtyHour(seed, { rarely: 4 * rarelyOf(seed) }), pages));
  return { paths: [catalogue, hour], mappings: [], exact: seed % 5 === 0, sampleUs: sampleOf(seed) };
};

const frameFiles: WriteFiles = async (folder, seed) => {
  const path = join(folder, `frames-${seed}.jsonl`);
  const catalogue = join(folder, `gamma-${seed}.jsonl`);
  const isKalshi = seed % 2 === 0;
  await writeFile(path, (isKalshi ? dirtyFrames : dirtyChanges)(seed, { rarely: 4 * rarelyOf(seed) }));
  await writeFile(catalogue, hourCatalogue(seed % 7 === 0 ? 2 : 4));
  return {
    paths: isKalshi ? [path] : [catalogue, path],
    mappings: [],
    exact: seed % 5 === 0,
    sampleUs: sampleOf(seed),
  };
};

const kinds = {
  quotes: { write: rowFiles(dirtyQuotes), tables: { snapshots: snapshotsSql } },
  trades: { write: rowFiles(dirtyTrades), tables: { trades: tradesSql } },
  'hours of books': { write: hourFiles, tables: { snapshots: snapshotsSql, trades: tradesSql } },
  'frames of books': { write: frameFiles, tables: { snapshots: snapshotsSql, trades: tradesSql } },
} as const satisfies Record<string, { readonly write: WriteFiles; readonly tables: Readonly<Record<string, string>> }>;

interface ImportedHow extends DirtyFiles {
  readonly bulkFromBytes: number;
  readonly folder: string;
}

/** A real archive for the tests of a suite, into which files are imported in one way or the other. */
const importsInto = (tables: Readonly<Record<string, string>>) => {
  let receiving: Awaited<ReturnType<typeof receivingArchive>>;
  let client: Bus;
  before(async () => {
    receiving = await receivingArchive();
    client = await connectBus({ url: receiving.nats.url, user: 'ingest' });
  });
  after(async () => {
    await client.close();
    await receiving.stop();
  });

  const storedRows = (): Promise<unknown[]> =>
    Promise.all(Object.values(tables).map((sql) => rows(receiving.clickhouse, { sql })));

  return async ({ paths, folder, ...how }: ImportedHow) => {
    const { clickhouse, state } = receiving;
    for (const table of Object.keys(tables)) await command(clickhouse, { sql: `TRUNCATE TABLE ${table}` });
    state.staged = 0;
    const reported: string[] = [];
    const bus = busArchive(rpcClient(client));
    const archive: Archive = {
      ...bus,
      recordCatalogue: async (facts) => {
        reported.push(...facts.map((fact) => JSON.stringify(fact)));
        const outcomes = await bus.recordCatalogue(facts);
        return outcomes.map((outcome, at) => (isRefused(facts[at]) ? { outcome: 'refused', reason } : outcome));
      },
      storeSpans: (spans) => {
        reported.push(...spans.map((span) => JSON.stringify(span)));
        return bus.storeSpans(spans);
      },
    };
    const result = await runImport(paths, { ...how, archive, refusedFolder: folder, startedAt: new Date(0) });
    assert.equal(result.aborted, null);
    const refused = result.reports.flatMap(({ refusedFile }) => refusedFile ?? []);
    const summary = JSON.stringify(importSummary(result, false), (key, value: unknown) =>
      key === 'seconds' || key === 'refused_file' ? null : value,
    );
    return {
      summary,
      reported: reported.toSorted(),
      refused: (await Promise.all(refused.map((file) => readFile(file, 'utf8')))).join(''),
      rows: await storedRows(),
      staged: state.staged,
    };
  };
};

const reason = 'this catalogue refuses it';

/** The report names the line of the first row of a refused market. */
const isRefused = (fact: CatalogueFact | undefined): boolean => fact?.kind === 'market' && fact.ticker.endsWith('-3');

const parts = ['summary', 'refused', 'reported', 'rows'] as const;

/** Imports generated files in both ways, and compares everything that an import leaves. */
export const bothWays = (kind: keyof typeof kinds, files: number): void => {
  const { write, tables } = kinds[kind];
  const importOnce = importsInto(tables);

  it(`give the same rows, facts, report and refusals for ${files} dirty files of ${kind}`, async (test) => {
    const [staged, refused] = [new Set<number>(), new Set<number>()];
    await withFolder(async (folder) => {
      for (let seed = 1; seed <= files; seed += 1) {
        const how = await write(folder, seed);
        const folders = [join(folder, `${seed}-row`), join(folder, `${seed}-bulk`)] as const;
        for (const own of folders) await mkdir(own);
        const byRow = await importOnce({ ...how, bulkFromBytes: Infinity, folder: folders[0] });
        const byColumn = await importOnce({ ...how, bulkFromBytes: 0, folder: folders[1] });
        assert.equal(byRow.staged, 0);
        if (byColumn.staged > 0) staged.add(seed);
        if (byColumn.refused !== '') refused.add(seed);
        for (const part of parts) assert.deepEqual(byColumn[part], byRow[part], `${part} of seed ${seed}`);
      }
    });
    test.diagnostic(`Remark: ${staged.size} of ${files} files had staged rows, and ${refused.size} refused ones.`);
    assert.ok(
      staged.size >= files * 0.9 && refused.size >= files / 2,
      `${staged.size} staged, ${refused.size} refused`,
    );
  });
};
