import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Archive, dryRunArchive } from '../archive.js';
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

/** Writes rows of 5,000 markets until the file has the size. Returns their number. */
const writeTicks = async (path: string, minBytes: number): Promise<number> => {
  const handle = await open(path, 'w');
  try {
    let rows = 0;
    let bytes = (await handle.write('ticker,time,bid,price,note\n')).bytesWritten;
    while (bytes < minBytes) {
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

/** Measures what a garbage collection leaves, in MB: the heap and buffers. */
const memoryMeter = (): (() => number) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  return () => {
    Reflect.apply(collect, undefined, []);
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
};

test('memory stays flat: 300 MB with 5,000 markets add less than 60 MB, and the import waits for a slow archive', async () => {
  const memoryMb = memoryMeter();
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    const file = join(folder, 'ticks.csv');
    const written = await writeTicks(file, 300_000_000);
    let stored = 0;
    let underWay = 0;
    let underWayMax = 0;
    const before = memoryMb();
    let peak = before;
    let calls = 0;
    const archive: Archive = {
      ...dryRunArchive,
      storeObservations: async ({ rows }) => {
        underWay += 1;
        underWayMax = Math.max(underWayMax, underWay);
        await turn();
        underWay -= 1;
        stored += rows;
        calls += 1;
        if (calls % 10 === 0) peak = Math.max(peak, memoryMb());
      },
    };
    const options = { archive, mappings: mapping, refusedFolder: folder, startedAt: new Date(0) };
    const { reports } = await runImport([file], options);
    assert.equal(reports[0]?.error, null);
    assert.equal(stored, written);
    assert.ok(underWayMax <= 4, `${underWayMax} batches were under way`);
    assert.ok(calls > 50 && peak - before < 60, `${calls} calls, ${Math.round(peak - before)} MB more`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Writes one page of markets on one line until the file has the size. Returns their number. */
const writePage = async (path: string, minBytes: number): Promise<number> => {
  const handle = await open(path, 'w');
  const rules = 'If this happens, then the market resolves to Yes. '.repeat(40);
  try {
    let markets = 0;
    let bytes = (await handle.write('{"cursor":"","markets":[')).bytesWritten;
    while (bytes < minBytes) {
      const texts = Array.from({ length: 500 }, () => {
        markets += 1;
        const ids = `"ticker":"KXA-26MAR-${markets}","event_ticker":"KXA-26MAR","status":"active"`;
        return `${markets === 1 ? '' : ','}{${ids},"close_time":"2026-03-19T14:00:00Z","volume":${markets},"rules":"${rules}"}`;
      });
      bytes += (await handle.write(texts.join(''))).bytesWritten;
    }
    await handle.write(']}');
    return markets;
  } finally {
    await handle.close();
  }
};

test('a catalogue of 100 MB in one JSON document leaves no more than 40 MB of memory at any time', async () => {
  const memoryMb = memoryMeter();
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    const file = join(folder, 'markets.json');
    const written = await writePage(file, 100_000_000);
    const before = memoryMb();
    let peak = before;
    let calls = 0;
    const archive: Archive = {
      ...dryRunArchive,
      recordCatalogue: (facts) => {
        calls += 1;
        if (calls % 10 === 0) peak = Math.max(peak, memoryMb());
        return dryRunArchive.recordCatalogue(facts);
      },
    };
    const { reports } = await runImport([file], {
      archive,
      mappings: [],
      refusedFolder: folder,
      startedAt: new Date(0),
    });
    assert.equal(reports[0]?.error, null);
    assert.equal(reports[0]?.markets, written);
    assert.ok(calls > 50 && peak - before < 40, `${calls} calls, ${Math.round(peak - before)} MB more`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const levels = parseMapping(
  `
name: levels
format: csv
match: { columns: [market, event, px] }
fields:
  ticker: { column: market }
  ts: { column: at, unit: ms }
  book_event: { column: event }
  side: { column: side }
  price: { column: px, unit: cents }
  size: { column: qty }
`,
  'levels.yaml',
);

/** Writes a book of 50 markets, and changes of their levels until the file has the size. */
const writeLevels = async (path: string, minBytes: number): Promise<void> => {
  const handle = await open(path, 'w');
  try {
    await handle.write('market,event,at,side,px,qty,note\n');
    let bytes = 0;
    for (let row = 0; bytes < minBytes;) {
      let text = '';
      for (let end = row + 20_000; row < end; row += 1) {
        const event = row < 50 ? 'snapshot' : 'level';
        text += `M-${row % 50},${event},${1_771_993_365_000 + row},bid,${1 + (row % 97)},${1 + (row % 1_000)},a note that nobody reads\n`;
      }
      bytes += (await handle.write(text)).bytesWritten;
    }
  } finally {
    await handle.close();
  }
};

test('a file of 50 MB with one line a level leaves no more than 40 MB of memory at any time', async () => {
  const memoryMb = memoryMeter();
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  try {
    const file = join(folder, 'levels.csv');
    await writeLevels(file, 50_000_000);
    const before = memoryMb();
    let peak = before;
    let batches = 0;
    const archive: Archive = {
      ...dryRunArchive,
      storeObservations: (batch) => {
        batches += 1;
        if (batches % 5 === 0) peak = Math.max(peak, memoryMb());
        return dryRunArchive.storeObservations(batch);
      },
    };
    const options = { archive, mappings: levels, refusedFolder: folder, startedAt: new Date(0) };
    const { reports } = await runImport([file], options);
    assert.equal(reports[0]?.error, null);
    assert.equal(reports[0]?.refusals, 0);
    assert.ok(batches > 15 && peak - before < 40, `${batches} batches, ${Math.round(peak - before)} MB more`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
