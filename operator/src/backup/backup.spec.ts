import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { knownMigrations } from '@almanac/clickhouse';
import { UsageError } from '../error-message.js';
import { restoreHome } from '../restore-home.js';
import { filesOf, writeFiles } from './files.js';
import { type Manifest, writeManifest } from './manifest.js';
import { checkBackup } from './restore.js';
import { copyWaitingFiles, restoreWaitingFiles } from './waiting-files.js';
import { lostSecrets } from './webhook-secrets.js';

const paths = ['streams/EVT_COMMERCE', 'clickhouse/0000000', 'bucket/0000000'];

describe('a backup folder', () => {
  let parent = '';
  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'almanac-backup-'));
  });
  after(() => rm(parent, { recursive: true, force: true }));

  const written = async (changes: Partial<Manifest['clickhouse']> = {}): Promise<string> => {
    const folder = await mkdtemp(join(parent, 'one-'));
    const files = await writeFiles(folder);
    for (const path of paths) await files.add(path, Readable.from([Buffer.from('first '), Buffer.from(path)]));
    const finished = await files.finish();
    const clickhouse = {
      version: '26.1',
      database: 'default',
      schema: await knownMigrations(),
      tables: [],
      ...changes,
    };
    const nothing = { streams: [], positions: [], objects: { count: 0, bytes: 0 } };
    const times = { started_us: 1, ended_us: 2 };
    await writeManifest(folder, {
      format: 1,
      ...times,
      nats_version: '2.9.10',
      clickhouse,
      ...nothing,
      files: finished,
    });
    return folder;
  };
  const refused = (folder: string, message: RegExp): Promise<void> =>
    assert.rejects(checkBackup(folder), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });

  it('is read back as it was written', async () => {
    const folder = await written();
    assert.equal((await checkBackup(folder)).manifest.files.count, 3);
    const files = [];
    for await (const { path, bytes } of filesOf(folder)) files.push([path, bytes]);
    assert.deepEqual(files[0], ['streams/EVT_COMMERCE', 26]);
  });

  it('of a build before release 0.1.0 has an earlier name for its begin', async () => {
    const folder = await written();
    const path = join(folder, 'manifest.json');
    const text = (await readFile(path, 'utf8')).replace('"started_us"', '"begun_us"');
    await writeFile(path, text);
    await writeFile(
      join(folder, 'manifest.sha256'),
      `${createHash('sha256').update(text).digest('hex')}  manifest.json\n`,
    );
    assert.equal((await checkBackup(folder)).manifest.started_us, 1);
  });

  it('is refused when any file has a changed, cut or missing byte, or is missing', async () => {
    const folder = await written();
    for (const path of [...paths, 'files.jsonl']) {
      const full = join(folder, path);
      const bytes = await readFile(full);
      const other = Buffer.from(bytes);
      other.writeUInt8(other.readUInt8(other.length >> 1) ^ 1, other.length >> 1);
      await writeFile(full, other);
      await refused(folder, new RegExp(`^This backup is damaged .*: ${path} does not match its checksum\\.$`));
      await writeFile(full, bytes.subarray(1));
      await refused(folder, new RegExp(`${path} has \\d+ bytes, not ${bytes.length}\\.$`));
      await rm(full);
      await refused(folder, new RegExp(`${path} is missing\\.$`));
      await writeFile(full, bytes);
    }
    await checkBackup(folder);
  });

  it('is incomplete without its manifest, and refused with a manifest that does not match', async () => {
    const folder = await written();
    for (const name of ['manifest.json', 'manifest.sha256']) {
      await rename(join(folder, name), join(parent, 'aside'));
      await refused(folder, /^\S+ has no complete backup: manifest\.json or manifest\.sha256 is missing\./);
      await rename(join(parent, 'aside'), join(folder, name));
    }
    const manifest = join(folder, 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"count": 3', '"count": 2'));
    await refused(folder, /manifest\.json does not match manifest\.sha256\.$/);
    await refused(join(parent, 'nothing'), /has no complete backup: /);
  });

  it('names the secrets that a restore would lose, and how many webhooks need them', async () => {
    const { manifest } = await checkBackup(await written());
    const sources = [
      { fingerprint: 'a', webhooks: 2 },
      { fingerprint: 'b', webhooks: 3 },
      { fingerprint: null, webhooks: 4 },
    ];
    const withSources = { ...manifest, webhook_secrets: sources };
    assert.deepEqual(lostSecrets(withSources, ['b']), { fingerprints: ['a'], webhooks: 2 });
    assert.deepEqual(lostSecrets(withSources, []), { fingerprints: ['a', 'b'], webhooks: 5 });
    assert.equal(lostSecrets(withSources, ['a', 'b']), null);
    // A backup of an earlier release does not say.
    assert.equal(lostSecrets(manifest, []), null);
  });

  it('carries the list of imported files that wait for their markets', async () => {
    const [from, to, folder] = ['from', 'to', 'copy'].map((name) => join(parent, name)) as [string, string, string];
    await mkdir(join(from, 'import', 'waiting'), { recursive: true });
    await writeFile(join(from, 'import', 'waiting', 'a.json'), '{}');
    await mkdir(folder);
    const files = await writeFiles(folder);
    await copyWaitingFiles(files, from);
    await copyWaitingFiles(files, join(parent, 'no home'));
    await files.finish();
    assert.equal(await restoreWaitingFiles(folder, to), 1);
    assert.equal(await readFile(join(to, 'import', 'waiting', 'a.json'), 'utf8'), '{}');
  });

  it('is not restored into a home that holds data', async () => {
    const home = join(parent, 'home');
    await mkdir(join(home, 'nats'), { recursive: true });
    const restoring = restoreHome(home, { print: () => undefined }, () => assert.fail('nothing is restored'));
    await assert.rejects(restoring, (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /nats holds the data of a system\. Set ALMANAC_HOME to a new folder\.$/);
      return true;
    });
    assert.ok(existsSync(join(home, 'nats')));
  });

  it('is refused when its schema is unknown to this code', async () => {
    const schema = [...(await knownMigrations()), '999_later.sql'];
    await refused(
      await written({ schema }),
      /newer version: it has the migration 999_later\.sql\. Restore it with that/,
    );
  });
});
