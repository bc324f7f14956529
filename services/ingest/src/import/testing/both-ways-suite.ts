import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type Bus, connectBus, rpcClient } from '@almanac/bus';
import { command, rows } from '@almanac/clickhouse';
import { busArchive } from '../../bus-archive.js';
import type { Archive } from '../../archive.js';
import { parseMapping } from '../../mapping/load-mapping.js';
import { receivingArchive } from '../../testing/receiving-archive.js';
import { runImport } from '../run-import.js';
import { importSummary } from '../summary.js';
import { dirtyCsv, dirtyParquet } from './dirty-files.js';
import { dirtyQuotes } from './dirty-quotes.js';
import { dirtyTrades } from './dirty-trades.js';
import { withFolder } from './with-folder.js';

const texts = (columns: string): string =>
  columns
    .split(' ')
    .map((column) => `toString(${column}) AS ${column}`)
    .join(', ');

const kinds = {
  quotes: {
    dirtyRows: dirtyQuotes,
    table: 'snapshots',
    storedSql: `SELECT * REPLACE (${texts('ts venue_ts seq yes_best_bid yes_best_ask coin_price yes_best_bid_size yes_best_ask_size')})
      FROM snapshots FINAL ORDER BY ticker, ts`,
  },
  trades: {
    dirtyRows: dirtyTrades,
    table: 'trades',
    storedSql: `SELECT * REPLACE (${texts('venue_ts received_ts price size')}) FROM trades FINAL ORDER BY ticker, trade_id`,
  },
} as const;

/** Imports generated files in both ways into a real archive, and compares everything that an import leaves. */
export const bothWays = (kind: keyof typeof kinds, files: number): void => {
  const { dirtyRows, table, storedSql } = kinds[kind];
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

  const storedRows = (): Promise<unknown[]> => rows(receiving.clickhouse, { sql: storedSql });

  const importOnce = async (
    path: string,
    how: { mapping: string; exact: boolean; bulkFromBytes: number; folder: string },
  ) => {
    const { clickhouse, state } = receiving;
    await command(clickhouse, { sql: `TRUNCATE TABLE ${table}` });
    state.staged = 0;
    const reported: string[] = [];
    const bus = busArchive(rpcClient(client));
    const archive: Archive = {
      ...bus,
      recordCatalogue: (facts) => {
        reported.push(...facts.map((fact) => JSON.stringify(fact)));
        return bus.recordCatalogue(facts);
      },
      storeSpans: (spans) => {
        reported.push(...spans.map((span) => JSON.stringify(span)));
        return bus.storeSpans(spans);
      },
    };
    const result = await runImport([path], {
      archive,
      mappings: parseMapping(how.mapping, 'mine.yaml'),
      refusedFolder: how.folder,
      startedAt: new Date(0),
      exact: how.exact,
      bulkFromBytes: how.bulkFromBytes,
    });
    assert.equal(result.aborted, null);
    const { refusedFile } = result.reports[0] ?? {};
    const summary = JSON.stringify(importSummary(result, false), (key, value: unknown) =>
      key === 'seconds' || key === 'refused_file' ? null : value,
    );
    return {
      summary,
      reported: reported.toSorted(),
      refused: refusedFile ? await readFile(refusedFile, 'utf8') : '',
      rows: await storedRows(),
      staged: state.staged,
    };
  };

  it(`give the same rows, facts, report and refusals for ${files} dirty files of ${kind}`, async (test) => {
    const [staged, refused] = [new Set<string>(), new Set<string>()];
    await withFolder(async (folder) => {
      for (let seed = 1; seed <= files; seed += 1) {
        const quotes = dirtyRows(seed, { rarely: seed % 4 === 0 ? 40 : 3 });
        const isCsv = seed % 3 !== 0;
        const path = join(folder, `quotes-${seed}.${isCsv ? 'csv' : 'parquet'}`);
        await writeFile(path, isCsv ? dirtyCsv(quotes, seed) : dirtyParquet(quotes, seed));
        const how = { mapping: quotes.mapping, exact: seed % 5 === 0 };
        const folders = [join(folder, `${seed}-row`), join(folder, `${seed}-bulk`)] as const;
        for (const own of folders) await mkdir(own);
        const byRow = await importOnce(path, { ...how, bulkFromBytes: Infinity, folder: folders[0] });
        const byColumn = await importOnce(path, { ...how, bulkFromBytes: 0, folder: folders[1] });
        assert.equal(byRow.staged, 0);
        if (byColumn.staged > 0) staged.add(path);
        if (byColumn.refused !== '') refused.add(path);
        for (const part of ['summary', 'refused', 'reported', 'rows'] as const)
          assert.deepEqual(byColumn[part], byRow[part], `${part} of seed ${seed}`);
      }
    });
    test.diagnostic(`Remark: ${staged.size} of ${files} files had staged rows, and ${refused.size} refused ones.`);
    assert.ok(
      staged.size >= files * 0.9 && refused.size >= files / 2,
      `${staged.size} staged, ${refused.size} refused`,
    );
  });
};
