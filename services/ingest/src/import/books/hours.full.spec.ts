// In the full run: it writes and imports 10,000,000 rows, which takes minutes. hours.spec.ts has the small version.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { RecordedSpan } from '@almanac/contracts';
import { testNumber } from '@almanac/testing';
import { dryRunArchive } from '../../archive.js';
import { runImport } from '../run-import.js';
import { hourCatalogue, hourRows, writeHour } from '../testing/hours.js';
import { gapsIn } from '../testing/memory-archive.js';
import { memoryMeter } from '../testing/memory-meter.js';
import { withFolder } from '../testing/with-folder.js';

const startMs = Date.UTC(2026, 7, 10, 12);
const minute = 60_000;
const lost = [
  [7 * minute, 8 * minute],
  [31 * minute, 34 * minute],
] as const;
const markets = 1_000;
const callsPerLook = 20;

test('an hour of 10,000,000 rows of 2,000 tokens imports with flat memory, and its gaps are the minutes taken out', async (here) => {
  const everyMs = Math.round((56 * minute * markets * 2) / testNumber('events', 10_000_000));
  await withFolder(async (folder) => {
    const [hour, catalogue] = [join(folder, 'polymarket_orderbook_2026-08-10T12.parquet'), join(folder, 'gamma.jsonl')];
    const rows = await writeHour(hour, hourRows({ startMs, markets, everyMs, lost }));
    await writeFile(catalogue, hourCatalogue(markets));
    const memoryMb = memoryMeter();
    const before = memoryMb();
    let [calls, peak] = [0, before];
    const spans = new Map<string, RecordedSpan>();
    const store = async (): Promise<void> => {
      await turn();
      calls += 1;
      if (calls % callsPerLook === 0) peak = Math.max(peak, memoryMb());
    };
    const startedAt = performance.now();
    const { reports } = await runImport([catalogue, hour], {
      archive: {
        ...dryRunArchive,
        openStaging: () => Promise.resolve({ store, publish: () => Promise.resolve() }),
        storeSpans: (given) => {
          for (const span of given) spans.set(`${span.ticker} ${span.start_us}`, span);
          return Promise.resolve();
        },
      },
      mappings: [],
      refusedFolder: folder,
      startedAt: new Date(0),
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const report = reports.find(({ file }) => file === hour);
    assert.deepEqual([report?.error, report?.refusals, report?.rowsRead], [null, 0, rows]);
    const gaps = gapsIn({ spans });
    assert.equal(gaps.length, markets * lost.length);
    for (const { startUs, endUs } of gaps) {
      const taken = lost.find(([from]) => Math.abs(startUs / 1_000 - startMs - from) < everyMs + 1_000);
      const after = (endUs ?? 0) / 1_000 - startMs - (taken?.[1] ?? 0);
      assert.ok(taken && after >= 0 && after <= everyMs, `${startUs} ${endUs}`);
    }
    const moreMb = Math.round(peak - before);
    here.diagnostic(`Remark: ${Math.round(rows / seconds)} rows/s without an archive`);
    here.diagnostic(`Remark: ${moreMb} MB more than the ${Math.round(before)} MB before`);
    assert.ok(calls > callsPerLook && moreMb < 150, `${calls} calls, ${moreMb} MB more`);
  });
});
