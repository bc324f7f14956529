import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseMapping } from '../../mapping/load-mapping.js';
import { runImport } from '../run-import.js';
import { memoryArchive } from './memory-archive.js';

export const ticks = parseMapping(
  `
name: ticks
format: csv
match: { columns: [ticker, time] }
refuse_when: error
fields:
  ticker: { column: ticker }
  series: { ticker: '^([^-]+)-' }
  close_ts:
    - from_ticker: {}
    - row_time_plus: { column: left, unit: s, round_to: 1m }
  open_ts: { before_close: 15m }
  floor_strike: { column: strike, decimals: 2 }
  ts: { column: time, unit: ms }
  yes_best_bid: { column: bid, unit: cents }
  yes_best_ask: { column: ask, unit: cents }
  coin_price: { column: price }
`,
  'ticks.yaml',
);
export const header = 'ticker,time,bid,ask,price,strike,left,error\n';
export const t0 = Date.UTC(2026, 1, 25, 4, 20);

export const folderOf = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Imports the content of one file with the mapping `ticks`. */
export const imported = async (
  t: TestContext,
  content: string | Buffer,
  { into = memoryArchive(), exact = false } = {},
) => {
  const folder = await folderOf(t);
  const file = join(folder, 'ticks.csv');
  await writeFile(file, content);
  const options = { archive: into.archive, mappings: ticks, refusedFolder: folder, startedAt: new Date(0), exact };
  const { reports } = await runImport([file], options);
  const report = reports[0];
  assert.ok(report);
  const refusedFile = report.refusedFile === null ? '' : await readFile(report.refusedFile, 'utf8');
  const refused: unknown[] = refusedFile
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
  return { ...into, report, refused };
};
