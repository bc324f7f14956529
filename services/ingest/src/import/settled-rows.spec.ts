import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { memoryArchive } from './testing/memory-archive.js';
import { reportLines } from './report-lines.js';
import { runImport } from './run-import.js';

const folderOf = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-import-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const settled = (rows: string): string =>
  `ticker,event_ticker,series,open_time,close_time,settlement_ts,floor_strike,expiration_value,result\n${rows}`;
const window = '2026-04-04T16:15:00Z,2026-04-04T16:30:00Z,2026-04-04T16:30:13Z';

test('settled markets of any series keep every digit, and only crypto series get the category crypto', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'settled.csv');
  await writeFile(
    file,
    settled(
      `EURUSD-1,EURUSD,EURUSD,${window},1.3691,1.36999,no\n` +
        `KXGAS-1,KXGAS,KXGAS,${window},3.125,3.1259999,yes\n` +
        `KXETH15M-1,KXETH15M,KXETH15M,${window},1905.339999,1905.3412,yes\n`,
    ),
  );
  const { archive, things } = memoryArchive();
  const options = { archive, refusedFolder: folder, startedAt: new Date(0) };
  const { reports } = await runImport([file], { ...options, mappings: await loadBuiltInMappings() });
  const recordedMarket = (ticker: string) => {
    const market = things.get(`market ${ticker}`);
    return ['floor_strike', 'expiration_value', 'category', 'strike_type'].map((name) => market?.[name] ?? null);
  };
  assert.deepEqual(recordedMarket('EURUSD-1'), ['1.3691', '1.36999', null, null]);
  assert.deepEqual(recordedMarket('KXGAS-1'), ['3.125', '3.1259999', null, null]);
  assert.deepEqual(recordedMarket('KXETH15M-1'), ['1905.34', '1905.3412', 'crypto', 'greater_or_equal']);
  assert.equal(things.get('series KXETH15M')?.['label'], 'Ethereum price in 15 minutes');
  assert.equal(things.get('series KXGAS')?.['label'], undefined);
  const [report] = reports;
  assert.equal(report?.dropped.get('strike_type: missing'), 2);
  assert.ok(report && reportLines(report, false).includes('  values kept with fewer digits 1:'));
});

test('the series title of a mapping does not overwrite that of the venue', async (t) => {
  const folder = await folderOf(t);
  const named = { ticker: 'KXETH15M', title: 'Ethereum up down', category: 'Crypto', frequency: 'fifteen_min' };
  await writeFile(join(folder, 'series.json'), JSON.stringify([named]));
  await writeFile(join(folder, 'a.csv'), settled(`KXETH15M-1,KXETH15M,KXETH15M,${window},1,1,yes\n`));
  const { archive, things } = memoryArchive();
  const options = { archive, refusedFolder: folder, startedAt: new Date(0) };
  await runImport([folder], { ...options, mappings: await loadBuiltInMappings() });
  assert.equal(things.get('series KXETH15M')?.['label'], 'Ethereum up down');
});
