import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Archive, dryRunArchive, type ObservationBatch } from '../../archive.js';
import { ArchiveError } from '../../errors.js';
import { parseMapping } from '../../mapping/load-mapping.js';
import { runImport } from '../run-import.js';
import { observationsOf } from '../report/summary.js';
import { withFolder } from '../testing/with-folder.js';

const mapping = `name: mine
match: { columns: [market, at, bid] }
fields:
  ticker: { column: market }
  ts: { column: at, unit: s }
  yes_best_bid: { column: bid, unit: cents }
`;

const csv = (count: number): string =>
  `market,at,bid\n${Array.from({ length: count }, (_, row) => `A-${row % 7},${1_771_993_200 + row},${row % 100}\n`).join('')}`;

/** Imports by column into an archive that counts what it is sent. */
const imported = (content: string | Uint8Array, changes: Partial<Archive> = {}, name = 'q.csv', bulkFromBytes = 0) =>
  withFolder(async (folder) => {
    const path = join(folder, name);
    await writeFile(path, content);
    const batches: ObservationBatch[] = [];
    const calls: string[] = [];
    const archive: Archive = {
      ...dryRunArchive,
      recordCatalogue: (facts) => {
        calls.push('facts');
        return dryRunArchive.recordCatalogue(facts);
      },
      storeObservations: () => Promise.resolve(void calls.push('row batch')),
      openStaging: () =>
        Promise.resolve({
          store: (batch) => Promise.resolve(void batches.push(batch)),
          publish: () => Promise.resolve(void calls.push('published')),
        }),
      ...changes,
    };
    const result = await runImport([path], {
      archive,
      mappings: parseMapping(mapping, 'mine.yaml'),
      refusedFolder: folder,
      startedAt: new Date(0),
      bulkFromBytes,
    });
    const [report] = result.reports;
    assert.ok(report);
    return { ...result, report, counts: observationsOf(report), batches, calls };
  });

const none = { replaced_equal: 0, replaced_different: 0, refused: 0 };

describe('an import by column', () => {
  it('publishes a file once, after its markets are recorded, in batches that a message can hold', async () => {
    const { batches, calls, counts } = await imported(csv(200_000));
    assert.deepEqual(calls, ['facts', 'published']);
    assert.deepEqual(counts, { ...none, read: 200_000, stored: 200_000, not_stored: 0 });
    assert.ok(batches.length > 2 && batches.every(({ body }) => body.length < 750_000));
    assert.equal(
      batches.reduce((sum, { rows }) => sum + rows, 0),
      200_000,
    );
  });

  it('counts no row as stored if the archive does not publish it', async () => {
    const publish = (): Promise<void> => Promise.reject(new ArchiveError('The disk is full.'));
    const openStaging = () => Promise.resolve({ store: () => Promise.resolve(), publish });
    const { aborted, counts } = await imported(csv(10), { openStaging });
    assert.equal(aborted, 'The disk is full.');
    assert.deepEqual(counts, { ...none, read: 10, stored: 0, not_stored: 10 });
  });

  it('publishes nothing if a batch was not stored', async () => {
    let published = 0;
    const { aborted, counts } = await imported(csv(60_000), {
      openStaging: () =>
        Promise.resolve({
          store: ({ rows }) => (rows < 40_000 ? Promise.reject(new ArchiveError('gone')) : Promise.resolve()),
          publish: () => Promise.resolve(void (published += 1)),
        }),
    });
    assert.deepEqual([aborted, published, counts.stored, counts.not_stored], ['gone', 0, 0, 60_000]);
  });

  it('publishes what it read of a file that ends early, and reports the error', async () => {
    const packed = gzipSync(csv(100_000));
    const { report, calls, counts } = await imported(packed.subarray(0, packed.length / 2), {}, 'q.csv.gz');
    assert.match(report.error ?? '', /q\.csv\.gz/);
    assert.ok(counts.stored > 10_000 && counts.not_stored === 0, JSON.stringify(counts));
    assert.equal(calls.filter((call) => call === 'published').length, 1);
  });

  it('publishes a file of very many markets in parts, and counts as an import by row does', async () => {
    const markets = Array.from({ length: 66_000 }, (_, market) => market);
    const lines = [0, 1].flatMap((at) => markets.map((market) => `A-${market},${1_771_993_200 + at},5\n`));
    const content = `market,at,bid\n${lines.join('')}`;
    const byColumn = await imported(content);
    const byRow = await imported(content, {}, 'q.csv', Infinity);
    assert.ok(byColumn.calls.filter((call) => call === 'published').length >= 4, byColumn.calls.join());
    assert.deepEqual(byColumn.counts, { ...none, read: 132_000, stored: 132_000, not_stored: 0 });
    assert.deepEqual([byColumn.counts, byColumn.report.markets], [byRow.counts, byRow.report.markets]);
  });

  for (const [missing, warning] of [
    ['cluster', /^$/],
    ['rights', /^imported by row: the archive has no right to staging tables\. Apply users\.d\/almanac\.xml/],
  ] as const)
    it(`is one by row if the archive has no staging tables (${missing})`, async () => {
      const { calls, counts, report } = await imported(csv(10), { openStaging: () => Promise.resolve(missing) });
      assert.ok(calls.includes('row batch') && !calls.includes('published'));
      assert.equal(counts.stored, 10);
      assert.match([...report.warnings.keys()].join(), warning);
    });
});
