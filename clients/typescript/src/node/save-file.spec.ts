import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FileError } from '../errors.js';
import { settingsOf } from '../http/settings.js';
import { transportOf } from '../http/transport.js';
import { saveFile } from './save-file.js';

/** Nothing listens there: these refusals come before the first request. */
const transport = transportOf(settingsOf({ apiKey: 'ak', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 }));
const file = { id: 'e-1', bytes: 10, sha256: 'a'.repeat(64), filename: 'file.csv' };
const refused = (code: string) => (error: unknown) => error instanceof FileError && error.code === code;

describe('a file that cannot be stored', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-client-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is refused before the first byte if the disk is too small', async () => {
    const huge = { ...file, bytes: 2 ** 60 };
    await assert.rejects(saveFile(transport, huge, join(folder, 'huge.csv'), {}), refused('disk_full'));
    assert.deepEqual(await readdir(folder), []);
  });

  it('is refused where a folder would have the name of a file', async () => {
    await writeFile(join(folder, 'taken'), 'a file');
    await assert.rejects(saveFile(transport, file, join(folder, 'taken', 'x.csv'), {}), refused('file_unwritable'));
    await rm(join(folder, 'taken'));
  });

  it('does not replace another file, or continue a part of another export', async () => {
    await writeFile(join(folder, 'file.csv'), 'mine');
    await assert.rejects(saveFile(transport, file, folder, {}), refused('file_conflict'));
    await writeFile(join(folder, `other.csv.${'b'.repeat(16)}.part`), 'half');
    await assert.rejects(saveFile(transport, file, join(folder, 'other.csv'), {}), refused('file_conflict'));
    assert.equal((await readdir(folder)).length, 2);
  });

  it('never leaves the folder, whatever name the server sends', async () => {
    const escaping = { ...file, bytes: 2 ** 60, filename: '../../escaped.csv' };
    await assert.rejects(saveFile(transport, escaping, `${folder}/`, {}), refused('disk_full'));
    await assert.rejects(saveFile(transport, { ...escaping, filename: '..' }, folder, {}), refused('disk_full'));
  });
});
