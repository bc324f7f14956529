import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { AlmanacError, FileError } from '../errors.js';
import { settingsOf } from '../http/settings.js';
import { transportOf } from '../http/transport.js';
import { type Answer, type StubServer, stubServer } from '../testing/stub-server.js';
import { saveFile, type SaveOptions } from './save-file.js';

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

  it('never replaces what is no ordinary file, such as a device or a pipe', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const overwrite of [false, true])
      await assert.rejects(saveFile(transport, { ...file, bytes: 0 }, pipe, { overwrite }), refused('file_unwritable'));
    assert.ok((await stat(pipe)).isFIFO());
    await rm(pipe);
  });

  it('never leaves the folder, whatever name the server sends', async () => {
    const escaping = { ...file, bytes: 2 ** 60, filename: '../../escaped.csv' };
    await assert.rejects(saveFile(transport, escaping, `${folder}/`, {}), refused('disk_full'));
    await assert.rejects(saveFile(transport, { ...escaping, filename: '..' }, folder, {}), refused('disk_full'));
  });
});

describe('a file that is downloaded', () => {
  const bytes = Buffer.from(Array.from({ length: 90_000 }, (_, at) => at % 251));
  const stored = { ...file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  let folder: string;
  let server: StubServer;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-client-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const serve = async (...answers: readonly Answer[]) => {
    server = await stubServer(...answers);
  };
  const save = (options: SaveOptions = {}, maxRetries = 5) =>
    saveFile(transportOf(settingsOf({ apiKey: 'ak', baseUrl: server.url, maxRetries })), stored, folder, options);
  const ranges = () => server.requests.map(({ headers }) => headers.range);

  /** The rest of the file from the requested byte, but no more than so many bytes of it. */
  const sendRest =
    (count = Infinity): Answer =>
    (response, { headers }) => {
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      const range = { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
      response.writeHead(from === 0 ? 200 : 206, { 'Content-Length': bytes.length - from, ...(from > 0 && range) });
      response.write(bytes.subarray(from, from + count), () =>
        count === Infinity ? response.end() : response.destroy(),
      );
    };

  it('is continued as often as its connection is cut, with progress that only rises', async () => {
    await serve(sendRest(10_000), sendRest(20_000), sendRest(30_000), sendRest());
    const seen: number[] = [];
    const { path } = await save({ onProgress: ({ done }) => seen.push(done) });
    assert.ok(bytes.equals(await readFile(path)));
    assert.deepEqual(await readdir(folder), ['file.csv']);
    assert.deepEqual(ranges(), [undefined, 'bytes=10000-', 'bytes=30000-', 'bytes=60000-']);
    assert.equal(seen.at(-1), bytes.length);
    assert.ok(seen.every((done, at) => at === 0 || done >= (seen[at - 1] ?? 0)));
  });

  it('is continued by the next program after the one before was stopped', async () => {
    await serve(sendRest(40_000), sendRest());
    await assert.rejects(save({}, 0), (error) => error instanceof AlmanacError && error.code === 'connection_failed');
    assert.deepEqual(await readdir(folder), [`file.csv.${stored.sha256.slice(0, 16)}.part`]);
    const { path, resumedFrom } = await save();
    assert.deepEqual([resumedFrom, ranges()[1]], [40_000, 'bytes=40000-']);
    assert.ok(bytes.equals(await readFile(path)));
    assert.deepEqual(await readdir(folder), ['file.csv']);
  });

  it('is stored once by downloads at the same time', async () => {
    await serve(sendRest());
    const saved = await Promise.all(Array.from({ length: 6 }, () => save()));
    assert.equal(new Set(saved.map(({ path }) => path)).size, 1);
    assert.ok(bytes.equals(await readFile(saved[0]?.path ?? '')));
    assert.deepEqual(await readdir(folder), ['file.csv']);
  });

  it('is not stored with a wrong byte', async () => {
    const damaged = Buffer.from(bytes);
    damaged[12_345] = 255;
    await serve((response) => response.writeHead(200, { 'Content-Length': damaged.length }).end(damaged), sendRest());
    await assert.rejects(save(), refused('file_mismatch'));
    assert.deepEqual(await readdir(folder), []);
    await save();
  });
});
