import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memoryArchive } from '../import/testing/memory-archive.js';
import { withFolder } from '../import/testing/with-folder.js';
import { parseMapping } from '../mapping/load-mapping.js';
import { importPlaces, type PlacesImport, quotes } from './testing/import-places.js';
import { inLanes, testBucket } from './testing/test-bucket.js';

describe('an S3 bucket', () => {
  let s3: Awaited<ReturnType<typeof testBucket>>;
  before(async () => {
    s3 = await testBucket();
  });
  after(async () => s3.stop());

  const imported = (folder: string, keys: readonly string[], options: Partial<PlacesImport> = {}) =>
    importPlaces(
      keys.map((key) => `s3://${s3.bucket}/${key}`),
      { folder, places: { environment: s3.environment }, ...options },
    );
  const filesOf = async (...keys: readonly string[]) =>
    withFolder(async (folder) => {
      const { reports } = await imported(folder, keys);
      assert.deepEqual(
        reports.flatMap(({ error }) => error ?? []),
        [],
      );
      return reports.map(({ file }) => file.replace(`s3://${s3.bucket}/`, ''));
    });

  it('gives an object, those below a prefix, and those of a glob', async () => {
    const text = quotes('KXA-26AUG10-A', 3);
    const keys = ['a/1.csv', 'a/b/2 +é&(x).csv', 'a/b/3.csv', 'ab/4.csv'];
    for (const key of [...keys, 'a/.hidden.csv', 'a/b/', 'a/.git/x.csv', 'a/_SUCCESS']) await s3.put(key, text);
    assert.deepEqual(await filesOf('a/1.csv'), ['a/1.csv']);
    assert.deepEqual(await filesOf('a'), keys.slice(0, 3));
    assert.deepEqual(await filesOf('a/'), keys.slice(0, 3));
    assert.deepEqual(await filesOf('a*/*.csv'), ['a/1.csv', 'ab/4.csv']);
    assert.deepEqual(await filesOf('**/[23]*'), keys.slice(1, 3));
    assert.deepEqual(await filesOf('a/1.csv', 'a/**'), keys.slice(0, 3));
    assert.deepEqual(await filesOf(''), keys);
  });

  it('lists page after page', async () => {
    const keys = Array.from({ length: 2_100 }, (_, at) => `many/${String(at).padStart(5, '0')}`);
    await inLanes(keys, async (key) => s3.put(key, ''));
    await s3.put('many/02050.csv', quotes('KXA-26AUG10-A', 2));
    await s3.put('many/zz.csv', quotes('KXA-26AUG10-A', 2));
    assert.deepEqual(await filesOf('many/*.csv'), ['many/02050.csv', 'many/zz.csv']);
  });

  it('has the keys of a Hive layout as columns', async () => {
    const mapping = parseMapping(
      'name: hive\nmatch: { columns: [t] }\nfields:\n  ticker: { column: t }\n  ts: { column: at, unit: s }\n  yes_best_bid: { column: bid }',
      'hive.yaml',
    );
    await s3.put('hive/t=KXA-26AUG10-A/x.csv', 'at,bid\n1786399201,0.5');
    await withFolder(async (folder) => {
      const { rows } = await imported(folder, ['hive'], { mapping });
      assert.deepEqual([...rows.keys()], ['KXA-26AUG10-A 1786399201.000000']);
    });
  });

  it('is read again only where it has new or changed objects', async () => {
    for (const day of [1, 2]) await s3.put(`days/${day}.csv`, quotes(`KXA-26AUG1${day}-A`, 3));
    const into = memoryArchive();
    await withFolder(async (folder) => {
      const readFiles = async () =>
        (await imported(folder, ['days'], { into, again: false })).reports.flatMap(({ file, unchangedSince }) =>
          unchangedSince === null ? [file.at(-5)] : [],
        );
      assert.deepEqual(await readFiles(), ['1', '2']);
      assert.deepEqual(await readFiles(), []);
      await s3.put('days/2.csv', quotes('KXA-26AUG12-A', 5));
      await s3.put('days/3.csv', quotes('KXA-26AUG13-A', 7));
      assert.deepEqual(await readFiles(), ['2', '3']);
      assert.equal(into.rows.size, 3 + 5 + 7);
    });
  });

  it('that refuses is an error that names it and what to set, and the rest goes on', async () => {
    await s3.put('fine.csv', quotes('KXA-26AUG10-A', 3));
    await withFolder(async (folder) => {
      const errorsOf = async (places: readonly string[], change: NodeJS.ProcessEnv) =>
        (await importPlaces(places, { folder, places: { environment: { ...s3.environment, ...change } } })).reports.map(
          ({ error }) => error,
        );
      const missing = `s3://${s3.bucket}/missing/x.csv`;
      const [noKey, other, fine] = await errorsOf([missing, 's3://elsewhere/x', `s3://${s3.bucket}/fine.csv`], {});
      assert.match(
        noKey ?? '',
        /missing\/x\.csv: the server answers 404 Not Found \(NoSuchKey\)\. No object has this key/,
      );
      assert.match(other ?? '', /^s3:\/\/elsewhere\/x: .*404.*has no such bucket/);
      assert.equal(fine, null);
      const stranger = { AWS_SECRET_ACCESS_KEY: 'another' };
      const [refused] = await errorsOf([`s3://${s3.bucket}/fine.csv`], stranger);
      assert.match(
        refused ?? '',
        /403 Forbidden \(SignatureDoesNotMatch\)\. The key of AWS_ACCESS_KEY_ID may not read/,
      );
      const [anonymous] = await errorsOf([`s3://${s3.bucket}/fine.csv`], {
        AWS_ACCESS_KEY_ID: undefined,
        AWS_SECRET_ACCESS_KEY: undefined,
      });
      assert.match(anonymous ?? '', /403 Forbidden .*without a key\. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY$/);
    });
  });
});
