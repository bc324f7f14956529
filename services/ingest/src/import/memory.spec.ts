import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Archive, dryArchive } from '../archive.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { runImport } from './run-import.js';

const mapping = parseMapping(
  `
name: ticks
format: csv
match: { columns: [ticker, time, bid] }
fields:
  ticker: { column: ticker }
  series: { ticker: '^([^-]+)-' }
  ts: { column: time, unit: s }
  yes_best_bid: { column: bid, unit: cents }
  coin_price: { column: price }
`,
  'ticks.yaml',
);

/** Writes rows of 5,000 markets until the file has the size; gives their number. */
const writeTicks = async (path: string, bytesWanted: number): Promise<number> => {
  const handle = await open(path, 'w');
  try {
    let rows = 0;
    let bytes = (await handle.write('ticker,time,bid,price,note\n')).bytesWritten;
    while (bytes < bytesWanted) {
      let text = '';
      for (let end = rows + 20_000; rows < end; rows += 1)
        text += `KXBTC15M-26FEB242330-${rows % 5_000},${1_771_993_365 + rows}.058297,${rows % 100},65541.${rows % 1_000},a note that nobody reads\n`;
      bytes += (await handle.write(text)).bytesWritten;
    }
    return rows;
  } finally {
    await handle.close();
  }
};

test('memory stays flat: 300 MB with 5,000 markets grow it by less than 150 MB, and a slow archive is waited for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    const file = join(folder, 'ticks.csv');
    const written = await writeTicks(file, 300_000_000);
    let stored = 0;
    let underWay = 0;
    let underWayMax = 0;
    const before = process.memoryUsage().rss;
    let peak = before;
    const archive: Archive = {
      ...dryArchive,
      storeObservations: async ({ rows }) => {
        underWay += 1;
        underWayMax = Math.max(underWayMax, underWay);
        await turn();
        underWay -= 1;
        stored += rows;
        peak = Math.max(peak, process.memoryUsage().rss);
      },
    };
    const options = { archive, mappings: mapping, refusedFolder: folder, startedAt: new Date(0) };
    const { reports } = await runImport([file], options);
    assert.equal(reports[0]?.error, null);
    assert.equal(stored, written);
    assert.ok(underWayMax <= 4, `${underWayMax} batches were under way`);
    const grownMb = Math.round((peak - before) / 1e6);
    assert.ok(grownMb < 150, `memory grew by ${grownMb} MB`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
