import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { everyChangeUs } from '@almanac/contracts';
import { type Archive, dryRunArchive } from '../../archive.js';
import { ArchiveError } from '../../errors.js';
import { runImport } from '../run-import.js';
import { dirtyFrames } from '../testing/dirty-frames.js';
import { withFolder } from '../testing/with-folder.js';

type OpenStaging = NonNullable<Archive['openStaging']>;

/** Imports a recording of books from any size on by column, and notes what the archive was asked for. */
const imported = (openStaging: OpenStaging) =>
  withFolder(async (folder) => {
    const calls: string[] = [];
    const path = join(folder, 'frames.jsonl');
    await writeFile(path, dirtyFrames(3));
    const archive: Archive = {
      ...dryRunArchive,
      storeObservations: ({ columns }) => Promise.resolve(void calls.push(`store ${columns}`)),
      storeSpans: () => Promise.resolve(void calls.push('spans')),
      openStaging: async (kind) => {
        calls.push(`open ${kind}`);
        const found = await openStaging(kind);
        if (typeof found === 'string') return found;
        return {
          ...found,
          store: (batch) => {
            calls.push(
              [`stage ${batch.columns}`, batch.format ?? 'text', ...(batch.coding ? [batch.coding] : [])].join(' '),
            );
            return found.store(batch);
          },
          publish: () => {
            calls.push('publish');
            return found.publish();
          },
        };
      },
    };
    const options = { archive, mappings: [], refusedFolder: folder, startedAt: new Date(0), sampleUs: everyChangeUs };
    const { reports, aborted } = await runImport([path], { ...options, bulkFromBytes: 0 });
    return { calls, aborted, report: reports[0] ?? assert.fail() };
  });

const stored = { store: () => Promise.resolve(), publish: () => Promise.resolve() };

describe('a large recording of books', () => {
  it('is staged, published once, and has its spans after that', async () => {
    const { calls, report } = await imported(() => Promise.resolve(stored));
    assert.deepEqual(calls, ['open books', 'stage l2 native', 'publish', 'spans']);
    assert.ok(report.observationsStored > 0);
    assert.equal(report.observationsStored, report.observationsRead);
  });

  it('is compressed if the archive reads that, with the same bytes', async () => {
    const bodies = { plain: [] as Uint8Array[], zstd: [] as Uint8Array[] };
    const into = (own: Uint8Array[], hasZstd: boolean) =>
      imported(() =>
        Promise.resolve({ ...stored, hasZstd, store: ({ body }) => Promise.resolve(void own.push(body)) }),
      );
    await into(bodies.plain, false);
    const { calls } = await into(bodies.zstd, true);
    assert.deepEqual(calls, ['open books', 'stage l2 native zstd', 'publish', 'spans']);
    assert.deepEqual(
      bodies.zstd.map((body) => new Uint8Array(zstdDecompressSync(body))),
      bodies.plain.map((body) => new Uint8Array(body)),
    );
  });

  it('is stored by batches of texts if the archive stages no books', async () => {
    const { calls, report } = await imported(() => Promise.resolve('cluster'));
    assert.deepEqual(calls, ['open books', 'store l2', 'spans']);
    assert.ok(report.observationsStored > 0);
  });

  it('is not published if a batch fails, and says that nothing of it is stored', async () => {
    const store = () => Promise.reject(new ArchiveError('The disk is full.'));
    const { calls, aborted, report } = await imported(() => Promise.resolve({ ...stored, store }));
    assert.deepEqual(calls, ['open books', 'stage l2 native']);
    assert.equal(report.observationsStored, 0);
    assert.match(aborted ?? '', /The disk is full/);
  });
});
