import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { command, migrate, rows } from '@almanac/clickhouse';
import { clickHouseProxy, testClickHouse, testS3 } from '@almanac/testing';
import { z } from 'zod';
import { putObject } from './bucket.js';
import { backupTables } from './clickhouse.js';
import { copyBucket, copyTables } from './copy-stores.js';
import { backupsIn, type EarlierBackup, filesIn } from './earlier-backup.js';
import { filesOf, writeFiles } from './files.js';
import { type Manifest, writeManifest } from './manifest.js';
import { checkBackup } from './restore.js';
import { restoreClickHouse } from './restore-clickhouse.js';
import { connectStores, type Stores } from './stores.js';

const print = (): void => undefined;

interface Servers {
  readonly stores: Stores;
  /** The same servers, with another address of ClickHouse. */
  readonly connectBy: (clickhouseUrl: string) => Stores;
  readonly stop: () => Promise<void>;
}

const startServers = async (): Promise<Servers> => {
  const [server, s3] = await Promise.all([testClickHouse({ hasTables: false }), testS3()]);
  const connectBy = (clickhouseUrl: string): Stores =>
    connectStores({
      CLICKHOUSE_URL: clickhouseUrl,
      CLICKHOUSE_USER: server.username,
      CLICKHOUSE_PASSWORD: server.password,
      S3_ENDPOINT: s3.url,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    });
  const stores = connectBy(server.url);
  const stop = async (): Promise<void> => {
    await stores.close();
    await Promise.all([server.stop(), s3.stop()]);
  };
  return { stores, connectBy, stop };
};

describe('an incremental backup', { timeout: 240_000 }, () => {
  let source: Servers;
  let target: Servers;
  let parent = '';
  const folders: string[] = [];
  before(async () => {
    [source, target] = await Promise.all([startServers(), startServers()]);
    parent = await mkdtemp(join(tmpdir(), 'almanac-incremental-'));
    await migrate(source.stores.clickhouse);
    for (const [at, keys] of [['a', 'c', 'd'], ['b', 'd'], []].entries()) {
      await store(at * 50_000, 50_000);
      for (const key of keys) await put(key, `${key} of ${at}`);
      if (at === 1) await source.stores.objects.delete('exports/c');
      folders.push(await backUpInto(join(parent, `day-${at}`)));
    }
  });
  after(async () => {
    await Promise.all([source.stop(), target.stop()]);
    await rm(parent, { recursive: true, force: true });
  });

  const store = (from: number, count: number): Promise<void> =>
    command(source.stores.clickhouse, {
      sql: `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid) SELECT 'T', 'S',
        fromUnixTimestamp64Micro(toInt64(1771992900000000 + number * 1000000), 'UTC'), number, 0.5
        FROM numbers(${from}, ${count})`,
    });
  const put = async (key: string, body: string): Promise<void> => {
    await source.stores.objects.putStream(`exports/${key}`, Readable.from([Buffer.from(body)]), {
      contentType: 'text/csv',
    });
  };
  const backUpInto = async (folder: string): Promise<string> => {
    const earlier: EarlierBackup | undefined = (await backupsIn(parent)).complete.at(-1);
    await mkdir(folder);
    const files = await writeFiles(folder);
    const deps = { stores: source.stores, files, print, earlier };
    const clickhouse = await copyTables(deps);
    const objects = await copyBucket(deps);
    const started_us = folders.length + 1;
    const made: Manifest = {
      format: clickhouse.incremental === true ? 2 : 1,
      started_us,
      ended_us: started_us,
      nats_version: '2.9.10',
      streams: [],
      positions: [],
      clickhouse,
      objects,
      files: await files.finish(),
    };
    await writeManifest(folder, made);
    return folder;
  };
  const folderOf = (at: number): string => folders[at] ?? assert.fail(`no backup ${at}`);
  const isShared = async (folder: string, path: string): Promise<boolean> => (await stat(join(folder, path))).nlink > 1;

  it('writes only what is new, of ClickHouse and of the bucket', async () => {
    const [full, first, second] = await Promise.all(
      folders.map(async (folder) => {
        let [own, shared] = [0, 0];
        for await (const { path, bytes } of filesOf(folder)) {
          if (path.startsWith('clickhouse-full/') || (path.startsWith('bucket/') && (await isShared(folder, path))))
            shared += bytes;
          else own += bytes;
        }
        return { own, shared };
      }),
    );
    assert.ok(full && first && second);
    assert.ok(first.shared > full.own * 0.9 && first.own < full.own * 1.5, JSON.stringify({ full, first }));
    assert.ok(second.shared > full.own * 0.9, JSON.stringify({ full, second }));
    const objects = new Map<string, boolean>();
    for await (const { path, key = '' } of filesIn(folderOf(1), 'bucket'))
      objects.set(key, await isShared(folderOf(1), path));
    // `d` was replaced and `c` was deleted. The third backup shares `b` and `d` with this one.
    assert.deepEqual(
      [...objects],
      [
        ['exports/a', true],
        ['exports/b', true],
        ['exports/d', true],
      ],
    );
    const texts: string[] = [];
    for await (const { path } of filesIn(folderOf(1), 'bucket'))
      texts.push(await readFile(join(folderOf(1), path), 'utf8'));
    assert.deepEqual(texts, ['a of 0', 'b of 1', 'd of 1']);
  });

  it('has one small part of each file in the memory of ClickHouse', async () => {
    const sent: string[] = [];
    const proxy = await clickHouseProxy(async ({ url, body }, forward) => {
      if (body.toString().startsWith('BACKUP')) sent.push(new URL(url, 'http://clickhouse').search);
      await forward(source.stores.config.CLICKHOUSE_URL);
    });
    const proxied = source.connectBy(proxy.url);
    await backupTables(proxied, { tables: ['markets'], prefix: 'other/' });
    await proxied.close();
    await proxy.stop();
    assert.match(sent.join(), /^\?(?=.*s3_max_inflight_parts_for_one_file=1\b)(?=.*s3_min_upload_part_size=8388608\b)/);
  });

  it('contains no key of the bucket', async () => {
    for (const folder of folders) {
      for await (const { path, key } of filesIn(folder, 'clickhouse')) {
        if (key !== '.backup') continue;
        const head = await readFile(join(folder, path), 'utf8');
        assert.ok(!head.includes(source.stores.config.S3_SECRET_ACCESS_KEY));
      }
    }
  });

  it('is complete by itself: it is restored after those before it are gone', async () => {
    const folder = folderOf(2);
    await rm(folderOf(0), { recursive: true });
    await rm(folderOf(1), { recursive: true });
    const { manifest } = await checkBackup(folder);
    assert.deepEqual([manifest.format, manifest.clickhouse.incremental], [2, true]);
    const { stores } = target;
    await restoreClickHouse({ folder, manifest }, { stores, print });
    for await (const file of filesIn(folder, 'bucket')) await putObject(stores.objects, folder, { file, prefix: '' });
    const sql = 'SELECT count() AS n, sum(seq) AS sum FROM snapshots FINAL';
    const schema = z.object({ n: z.coerce.number(), sum: z.coerce.number() });
    assert.deepEqual(await rows(stores.clickhouse, { sql }, schema), [{ n: 150_000, sum: (150_000 * 149_999) / 2 }]);
    const found = await stores.objects.read('exports/d');
    assert.equal(found && (await text(found.body)), 'd of 1');
  });
});
