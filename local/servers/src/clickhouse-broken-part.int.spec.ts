import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, truncate, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startClickHouse, type RunningClickHouse } from './clickhouse.js';
import type { LocalServerError } from './errors.js';

describe('ClickHouse with a broken part', { timeout: 240_000 }, () => {
  let dir = '';
  let server: RunningClickHouse;
  let ended: Promise<LocalServerError>;
  const start = async (): Promise<void> => {
    server = await startClickHouse({ dir, users: [{ user: 'default', password: 'p' }] });
    ended = new Promise((resolve) => server.onExit(resolve));
  };
  const send = async (sql: string): Promise<string> => {
    const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'p' };
    return (await (await fetch(server.url, { method: 'POST', body: sql, headers })).text()).trim();
  };
  const truncateFiles = async (times?: Date): Promise<void> => {
    const part = await send(`SELECT path FROM system.parts WHERE active AND table = 'numbers'`);
    for (const name of await readdir(part)) {
      await truncate(join(part, name));
      if (times !== undefined) await utimes(join(part, name), times, times);
    }
  };

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-clickhouse-'));
    await start();
    await send('CREATE TABLE numbers (id UInt64) ENGINE = MergeTree ORDER BY id');
    for (const id of [1, 2, 3]) await send(`INSERT INTO numbers VALUES (${id})`);
    await send('OPTIMIZE TABLE numbers FINAL');
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('ends when a read meets it, and serves its sources after the restart', async () => {
    await truncateFiles();
    await send('SELECT sum(id) FROM numbers').catch(() => undefined);
    assert.match((await ended).message, /The part \S+\/all_1_3_1\/ is broken/);
    await start();
    assert.equal(await send('SELECT sum(id) FROM numbers'), '6');
    assert.equal(await send('SELECT name FROM system.detached_parts'), 'broken-on-start_all_1_3_1');
  });

  it('goes on if the part has been so since the start, because a restart does not help', async () => {
    await send('OPTIMIZE TABLE numbers FINAL');
    await truncateFiles(new Date(0));
    assert.match(await send('SELECT sum(id) FROM numbers'), /CORRUPTED_DATA/);
    assert.equal(await send('SELECT 1'), '1');
  });
});
