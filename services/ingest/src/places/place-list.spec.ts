import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseArguments } from '../arguments.js';
import { withFolder } from '../import/testing/with-folder.js';
import { listedPlaces } from './place-list.js';

test('a list has one place a line, and comments', async () => {
  await withFolder(async (folder) => {
    const lines = ['# places', '', 'https://host/a.csv?x=1#y', '  s3://bucket/day=*/  ', 'data/a.csv\r', '/b.csv'];
    await writeFile(join(folder, 'list.txt'), lines.join('\n'));
    assert.deepEqual(await listedPlaces('list.txt', folder), [
      'https://host/a.csv?x=1#y',
      's3://bucket/day=*/',
      join(folder, 'data/a.csv'),
      '/b.csv',
    ]);
    await assert.rejects(listedPlaces('none.txt', folder), /^ImportError: The list .*none\.txt cannot be read/);
  });
});

test('places of the command line stay as they are, and a list replaces them', () => {
  const { paths } = parseArguments(['s3://bucket/a', 'http://h/x', 'data/*.csv'], '/home') ?? assert.fail('no help');
  assert.deepEqual(paths, ['s3://bucket/a', 'http://h/x', '/home/data/*.csv']);
  const list = parseArguments(['--from', '-', '--again', '--allow-host', 'a', '--allow-host', 'b:1'], '/home');
  assert.deepEqual([list?.paths, list?.from, list?.again, list?.allowedHosts], [[], '-', true, ['a', 'b:1']]);
});
