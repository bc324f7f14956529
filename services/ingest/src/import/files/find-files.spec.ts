import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { importPaths } from '../testing/import-files.js';
import { header, t0, ticks } from '../testing/import-ticks.js';
import { withFolder } from '../testing/with-folder.js';

test('links and pipes of a folder cost only themselves, and a link to a folder above is passed over', () =>
  withFolder(async (folder) => {
    const quote = (second: number): string => `${header}A-1,${t0 + second},10,12,1,5,60,\n`;
    await mkdir(join(folder, 'real'));
    await mkdir(join(folder, 'elsewhere'));
    await mkdir(join(folder, 'data', 'day'), { recursive: true });
    await writeFile(join(folder, 'data', 'a.csv'), quote(1));
    await writeFile(join(folder, 'data', 'day', 'b.csv'), quote(2));
    await writeFile(join(folder, 'elsewhere', 'c.csv'), quote(3));
    await symlink('..', join(folder, 'data', 'day', 'above'));
    await symlink('.', join(folder, 'data', 'loop'));
    await symlink('../elsewhere', join(folder, 'data', 'linked'));
    await symlink('nothing', join(folder, 'data', 'broken.csv'));
    execFileSync('mkfifo', [join(folder, 'data', 'pipe.csv')]);
    const { reports, rows } = await importPaths([join(folder, 'data')], { mapping: ticks });
    assert.equal(rows.size, 3);
    const glob = await importPaths([join(folder, 'data', '*.csv')], { mapping: ticks });
    assert.deepEqual(
      glob.reports.map(({ file, error }) => [file, error === null]),
      [
        ['a.csv', true],
        ['broken.csv', false],
        ['pipe.csv', false],
      ],
    );
    assert.deepEqual(
      reports.map(({ file, error }) => [file, error?.replace(folder, '').slice(0, 64) ?? null]),
      [
        ['a.csv', null],
        ['broken.csv', '/data/broken.csv: it cannot be read: ENOENT: no such file or dir'],
        ['b.csv', null],
        ['c.csv', null],
        ['pipe.csv', '/data/pipe.csv: this is neither a file nor a folder'],
      ],
    );
  }));
