import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { explain } from '../explain/explain.js';
import { withFolder } from '../import/testing/with-folder.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { importPlaces } from './testing/import-places.js';

describe('a local place', () => {
  const hive = parseMapping(
    [
      'name: hive',
      'match: { columns: [at, bid, ticker, venue] }',
      'only: { column: venue, values: [kal/shi] }',
      'fields:',
      '  ticker: { column: ticker }',
      '  ts: { column: at, unit: s }',
      '  yes_best_bid: { column: bid }',
    ].join('\n'),
    'hive.yaml',
  );
  const files = {
    'venue=kal%2Fshi/ticker=KXA-26AUG10-A/part-0.csv': 'at,bid\n1786399201,0.5\n1786399202,0.6',
    'venue=kal%2Fshi/ticker=KXB-26AUG10-B/part-0.jsonl': '{"at":1786399201,"bid":0.5,"ticker":"KXC-26AUG10-C"}\n',
    'venue=kal%2Fshi/ticker=__HIVE_DEFAULT_PARTITION__/part-0.csv': 'at,bid\n1786399203,0.5',
    'venue=polymarket/ticker=x/part-0.csv': 'at,bid\n1786399201,0.5',
    'venue=polymarket/ticker=x/.part-1.csv.crc': 'x',
    'venue=polymarket/_SUCCESS': '',
    _SUCCESS: '',
  };
  const withFiles = <T>(work: (folder: string) => Promise<T>): Promise<T> =>
    withFolder(async (folder) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, 'data', name)), { recursive: true });
        await writeFile(join(folder, 'data', name), text);
      }
      return work(folder);
    });

  it('in Hive layout has the keys of its path as columns, and a column of the file wins', async () => {
    await withFiles(async (folder) => {
      const { reports, rows } = await importPlaces([join(folder, 'data')], { folder, mapping: hive });
      assert.deepEqual(Array.from(rows.keys()).toSorted(), [
        'KXA-26AUG10-A 1786399201.000000',
        'KXA-26AUG10-A 1786399202.000000',
        'KXC-26AUG10-C 1786399201.000000',
      ]);
      assert.deepEqual(
        reports.map(({ error, refusals, warnings }) => [error, refusals, ...warnings]),
        [
          [null, 0],
          [null, 0, ['the column ticker differs from ticker=KXB-26AUG10-B of the path', 1]],
          [null, 1],
          [null, 0],
        ],
      );
    });
  });

  it('in Hive layout is explained with the columns of its path', async () => {
    await withFiles(async (folder) => {
      const lines: string[] = [];
      const place = join(folder, 'data/venue=kal%2Fshi/ticker=KXA-26AUG10-A');
      for await (const line of explain([place], hive)) lines.push(line);
      const text = lines.join('\n');
      assert.match(text, /csv, 4 columns/);
      assert.match(text, /\n {4}venue +\S+ +kal\/shi\n/);
      assert.match(text, /Read by the mapping hive\./);
    });
  });

  it('can be a glob, and one that matches nothing is an error', async () => {
    await withFiles(async (folder) => {
      const filesOf = async (pattern: string) =>
        (await importPlaces([join(folder, pattern)], { folder, mapping: hive })).reports.map(({ file }) =>
          file.slice(folder.length + 1),
        );
      const names = Object.keys(files).map((name) => `data/${name}`);
      assert.deepEqual(await filesOf('data/**/*.jsonl'), [names[1]]);
      assert.deepEqual((await filesOf('data/*/ticker=KX*')).toSorted(), names.slice(0, 2));
      assert.deepEqual(await filesOf('data/venue=poly*/**'), [names[3]]);
      await assert.rejects(filesOf('data/**/*.parquet'), /No file matches .*\*\.parquet/);
    });
  });
});
