import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { smallRecordings, writeRecordings } from '@almanac/test-fixtures';
import { type Archive, dryRunArchive } from '../archive.js';
import { ArchiveError } from '../errors.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { reportLines } from './report-lines.js';
import { runImport } from './run-import.js';
import { importSummary } from './summary.js';
import { importPaths, withFolder } from './testing/import-paths.js';
import { memoryArchive } from './testing/memory-archive.js';

const ticks = parseMapping(
  `
name: ticks
format: csv
match: { columns: [ticker, time] }
expand: { prefixes: ['a_', 'b_'] }
refuse_when: '{prefix}error'
fields:
  ticker: { column: '{prefix}ticker' }
  ts: { column: time, unit: ms }
  yes_best_bid: { column: '{prefix}bid' }
  coin_price: { column: '{prefix}price' }
`,
  'ticks.yaml',
);
const header = 'ticker,time,a_ticker,a_bid,a_price,a_error,b_ticker,b_bid,b_price,b_error\n';
const t0 = 1_771_993_365_000;
const row = (ms: number, { a = '0.5', b = '0.5', error = '' } = {}): string =>
  `x,${t0 + ms},A-1,${a},1,${error},B-1,${b},2,\n`;

const importOf = async (files: Readonly<Record<string, string>>, into = memoryArchive(), archive = into.archive) =>
  withFolder(async (folder) => {
    const paths: string[] = [];
    for (const [name, content] of Object.entries(files)) {
      paths.push(join(folder, name));
      await writeFile(join(folder, name), content);
    }
    const options = { archive, mappings: ticks, refusedFolder: folder, startedAt: new Date(0) };
    const result = await runImport(paths, options);
    const summary = importSummary(result, false);
    const [of, all] = [summary.files.map(({ observations }) => observations), summary.total.observations];
    return { of, all, rows: into.rows, reports: result.reports };
  });

/** Each count is of another place of the code, so a row that is lost breaks the sum. */
const addsUp = (all: Awaited<ReturnType<typeof importOf>>['all']): void => {
  const { read, ...rest } = all;
  assert.equal(
    read,
    Object.values(rest).reduce((sum, one) => sum + one, 0),
  );
};

describe('read = stored + replaced + refused + not stored', () => {
  it('by file and in total, and stored is what can be read', async () => {
    const { of, all, rows } = await importOf({
      'one.csv':
        header + row(1) + row(2) + row(3) + row(3) + row(2, { a: '0.6' }) + row(4, { error: 'late' }) + 'x,1\n',
      'two.csv': header + row(9) + row(1) + row(3, { b: '0.7' }) + row(9, { a: '2', b: '0.9' }),
    });
    assert.deepEqual(of, [
      // 6 rows of two markets, and a broken row.
      { read: 13, stored: 7, replaced_equal: 3, replaced_different: 1, refused: 2, not_stored: 0 },
      { read: 8, stored: 2, replaced_equal: 3, replaced_different: 2, refused: 1, not_stored: 0 },
    ]);
    for (const one of [...of, all]) addsUp(one);
    assert.equal(all.stored, rows.size);
    assert.equal(rows.get(`A-1 ${(t0 + 2) / 1000}000`)?.bid, '0.6');
  });

  it('with an archive that fails on the way', async () => {
    let batches = 0;
    const into = memoryArchive();
    const failing: Archive = {
      ...dryRunArchive,
      storeObservations: async (batch) => {
        batches += 1;
        if (batches > 1) throw new ArchiveError('the disk is full');
        await into.archive.storeObservations(batch);
      },
    };
    const content = header + Array.from({ length: 9_000 }, (_, ms) => row(ms)).join('');
    const { all } = await importOf({ 'one.csv': content }, into, failing);
    addsUp(all);
    assert.equal(all.stored, into.rows.size);
    assert.ok(all.not_stored > 0);
  });
});

test('a second row of a time is printed as replaced, equal and different apart', async () => {
  const { reports } = await importOf({ 'one.csv': header + row(1) + row(1) + row(1, { a: '0.6' }) });
  const [report] = reports;
  assert.ok(report);
  assert.match(
    reportLines(report, false).join('\n'),
    /observations read 6: stored 2, replaced 4 \(3 equal, 1 different\), refused 0$/m,
  );
});

test('messages of books add up, and the rows made of them', () =>
  withFolder(async (folder) => {
    await writeRecordings(folder, smallRecordings);
    const { reports, rows } = await importPaths([folder]);
    const read = reports.filter(({ messages }) => messages !== null);
    assert.equal(read.length, 2, 'the folder and the frames of Kalshi');
    for (const { messages, rowsRead, books } of read) {
      assert.ok(messages && books);
      assert.equal(messages.applied, books.snapshots + books.changes);
      assert.equal(messages.applied + messages.other + messages.refused + messages.notApplied, rowsRead);
    }
    const { total } = importSummary({ reports, aborted: null }, false);
    addsUp(total.observations);
    assert.equal(total.observations.stored, rows.size);
  }));
