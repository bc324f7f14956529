// Only root can mount a disk to fill.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startClickHouse, type RunningClickHouse } from './clickhouse.js';
import type { LocalServerError } from './errors.js';

const run = promisify(execFile);
const sizeMb = 1_000;
const partMb = 100;

void describe('ClickHouse on a disk that fills', { skip: skipped(), timeout: 240_000 }, () => {
  let dir = '';
  let server: RunningClickHouse;
  let ended: Promise<LocalServerError>;
  const start = async (): Promise<void> => {
    server = await startClickHouse({ dir: join(dir, 'clickhouse'), users: [{ user: 'default', password: 'p' }] });
    ended = new Promise((resolve) => server.onExit(resolve));
  };
  const send = async (sql: string): Promise<string> => {
    const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'p' };
    const answer = await fetch(server.url, { method: 'POST', body: sql, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.trim();
  };
  /** Random bytes, which do not shrink on the disk. */
  const insert = (table: string, mb: number): Promise<string> =>
    send(
      `INSERT INTO ${table} SELECT number, randomString(1048576) FROM numbers(${mb}) SETTINGS max_block_size = 1000, max_threads = 1`,
    );
  /** Takes all space as soon as the engine writes data of such a part. The engine does not run meanwhile. */
  const fillDuring = async (part: string): Promise<() => Promise<void>> => {
    const deadline = AbortSignal.timeout(30_000);
    while (!(await isWritten(dir, part))) await delay(1, undefined, { signal: deadline });
    process.kill(server.pid, 'SIGSTOP');
    const path = join(dir, 'filler');
    while ((await freeBytes(dir)) > 0) await allocate(path, await freeBytes(dir));
    process.kill(server.pid, 'SIGCONT');
    return () => rm(path);
  };

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-clickhouse-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', dir]);
    await start();
  });
  after(async () => {
    await server.stop();
    await run('umount', [dir]);
    await rm(dir, { recursive: true });
  });

  it('acknowledges no insert that it could not write', async () => {
    await send('CREATE TABLE inserted (id UInt64, bytes String) ENGINE = MergeTree ORDER BY id');
    await insert('inserted', 1);
    const refused = assert.rejects(insert('inserted', 2 * partMb));
    const free = await fillDuring('tmp_insert_*');
    await refused;
    assert.match((await ended).message, /A write of the ClickHouse engine failed/);
    // It starts and reads while the disk is full.
    await start();
    assert.equal(await send('SELECT count(), sum(length(bytes)) FROM inserted'), '1\t1048576');
    await assert.rejects(insert('inserted', 1), /NOT_ENOUGH_SPACE/);
    await free();
    await insert('inserted', 1);
    assert.equal(await send('SELECT count() FROM inserted'), '2');
    await send('TRUNCATE TABLE inserted');
  });

  it('loses no row of a merge that it could not write', async () => {
    await send('CREATE TABLE merged (id UInt64, bytes String) ENGINE = MergeTree ORDER BY id');
    await send('SYSTEM STOP MERGES merged');
    await insert('merged', partMb);
    await insert('merged', partMb);
    await send('SYSTEM START MERGES merged');
    const merge = assert.rejects(send('OPTIMIZE TABLE merged FINAL SETTINGS optimize_throw_if_noop = 1'));
    const free = await fillDuring('tmp_merge_*');
    await merge;
    await ended;
    await start();
    const rows = `${2 * partMb}\t${2 * partMb * 1_048_576}`;
    assert.equal(await send('SELECT count(), sum(length(bytes)) FROM merged'), rows);
    await free();
    await send('OPTIMIZE TABLE merged FINAL');
    assert.equal(await send('SELECT count(), sum(length(bytes)) FROM merged'), rows);
  });

  it('keeps the sources of a merge, and refuses inserts that would take its reserve', async () => {
    const setting = `SELECT value FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime'`;
    assert.equal(await send(setting), '480');
    assert.equal(await send('SELECT keep_free_space FROM system.disks'), String(64 * 1_048_576));
  });
});

function skipped(): string | false {
  return process.getuid?.() === 0 ? false : 'Only root can mount a disk to fill.';
}

const freeBytes = async (dir: string): Promise<number> => {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
};

/** Fails while the last writes before SIGSTOP take some of the space. */
const allocate = async (path: string, bytes: number): Promise<void> => {
  await run('fallocate', ['--length', String(bytes), path]).catch(() => delay(10));
};

const isWritten = async (dir: string, part: string): Promise<boolean> => {
  for await (const path of glob(join(dir, 'clickhouse/data/store/*/*', part, '*.bin')))
    if ((await stat(path).catch(() => undefined))?.size) return true;
  return false;
};
