// In the full run: it measures memory while it imports 450 MB, which takes minutes. streaming.spec.ts has the small version.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { dryRunArchive } from '../archive.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { runImport } from './run-import.js';
import { memoryMeter } from './testing/memory-meter.js';
import { withFolder } from './testing/with-folder.js';
import { type LargeFile, largeLevels, largePage, largeTicks } from './testing/large-files.js';

/** Imports a file of the size, and measures the memory at every `everyCalls`-th call of the archive. */
const measured = (file: LargeFile, bytes: number, everyCalls: number) =>
  withFolder(async (folder) => {
    const memoryMb = memoryMeter();
    const path = join(folder, file.name);
    const written = await file.write(path, bytes);
    const before = memoryMb();
    let peak = before;
    let calls = 0;
    const look = (): void => {
      calls += 1;
      if (calls % everyCalls === 0) peak = Math.max(peak, memoryMb());
    };
    const { reports } = await runImport([path], {
      archive: {
        ...dryRunArchive,
        storeObservations: async () => {
          await turn();
          look();
        },
        recordCatalogue: (facts) => {
          if (file === largePage) look();
          return dryRunArchive.recordCatalogue(facts);
        },
      },
      mappings: file.mapping === undefined ? [] : parseMapping(file.mapping, 'mine.yaml'),
      refusedFolder: folder,
      startedAt: new Date(0),
    });
    const [report] = reports;
    assert.ok(report);
    assert.deepEqual([report.error, report.refusals], [null, 0]);
    return { written, report, calls, moreMb: Math.round(peak - before) };
  });

test('memory stays flat: 300 MB with 5,000 markets add less than 60 MB', async () => {
  const { written, report, calls, moreMb } = await measured(largeTicks, 300_000_000, 10);
  assert.equal(report.observationsStored, written);
  assert.ok(calls > 50 && moreMb < 60, `${calls} calls, ${moreMb} MB more`);
});

test('a catalogue of 100 MB in one JSON document leaves no more than 40 MB of memory at any time', async () => {
  const { written, report, calls, moreMb } = await measured(largePage, 100_000_000, 10);
  assert.equal(report.markets, written);
  assert.ok(calls > 50 && moreMb < 40, `${calls} calls, ${moreMb} MB more`);
});

test('a file of 50 MB with one line a level leaves no more than 40 MB of memory at any time', async () => {
  const { calls, moreMb } = await measured(largeLevels, 50_000_000, 5);
  assert.ok(calls > 15 && moreMb < 40, `${calls} batches, ${moreMb} MB more`);
});
