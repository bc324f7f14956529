import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, rename, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deadLetterStream, durables, subjects } from '@almanac/bus';
import { rows } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';
import { type Health, readiness } from '@almanac/runtime';
import { eventually, suspendProcess } from '@almanac/testing';
import { z } from 'zod';
import { startHarnessOn, type ExportHarness, tickerOf } from '../testing/harness.js';
import { type KillableStoresFixture, startKillableStoresFixture } from '../testing/fixture.js';

describe('a file whose stores fail', { timeout: 280_000 }, () => {
  let fixture: KillableStoresFixture;
  let harness: ExportHarness<KillableStoresFixture>;
  let event: string;
  let health: Health;
  before(async () => {
    fixture = await startKillableStoresFixture();
    harness = await startHarnessOn(fixture);
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ event } = await harness.change());
  });
  afterEach(() => harness.stop());

  const start = async (config: Partial<KillableStoresFixture['config']> = {}): Promise<void> => {
    health = await harness.start(config);
  };
  const outcomes = async (outcome: string): Promise<number> => {
    const text = await health.metrics.metrics();
    return Number(new RegExp(`almanac_export_files_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  };
  const workBegan = () =>
    eventually(async () => {
      const info = await harness.inspector.jsm.consumers.info('EVT_FILE', durables.exportWorkers);
      assert.ok(info.num_ack_pending > 0 && info.num_pending === 0);
    });
  const leavesNothing = async (id: string): Promise<void> => {
    const { key } = await harness.fileOf(id);
    for await (const object of fixture.objects.list(`files/${key}`)) assert.fail(object.key);
    for await (const upload of fixture.objects.openUploads(`files/${key}`)) assert.fail(upload.key);
  };
  const deadLetters = async (): Promise<number> => {
    const { state } = await harness.inspector.jsm.streams.info(deadLetterStream);
    return state.messages;
  };

  /** Longer than all buffers, so that ClickHouse still sends it while the object store accepts nothing. */
  const longRows = 300_000;
  /** A pending export whose upload hangs. `resume` lets the object store go on. */
  const hanging = async (): Promise<{ id: string; resume: () => void }> => {
    const resume = await suspendProcess(fixture.s3.pid);
    try {
      const { id } = await harness.create({ event });
      await workBegan();
      return { id, resume };
    } catch (error) {
      resume();
      throw error;
    }
  };

  it('waits for an unavailable object store without using an attempt, also in the next process', async () => {
    await start({ EXPORT_ATTEMPTS: 1 });
    await fixture.s3.kill();
    const { id } = await harness.create({ event });
    await eventually(async () => assert.ok((await outcomes('waited')) >= 2), { timeoutMs: 120_000 });
    assert.equal((await harness.stateOf(id))?.status, 'pending');
    assert.equal(await outcomes('failed'), 0);
    await harness.stop();
    assert.equal((await harness.fileOf(id)).status, 'requested');
    await fixture.s3.startAgain();
    await start({ EXPORT_ATTEMPTS: 1 });
    await harness.endsOnce(id);
  });

  it('waits for a ClickHouse that was killed meanwhile without using an attempt', async () => {
    await start({ EXPORT_ATTEMPTS: 1 });
    await harness.storeEvent(longRows);
    const { id, resume } = await hanging();
    await fixture.server.kill();
    resume();
    await eventually(async () => assert.ok((await outcomes('waited')) >= 1), { timeoutMs: 120_000 });
    await fixture.server.startAgain();
    assert.equal((await harness.endsOnce(id)).file.row_count, longRows);
    assert.equal(await outcomes('failed'), 0);
  });

  it('is handed back unfinished by a worker that stops in the middle of it', async () => {
    await start();
    const { id, resume } = await hanging();
    try {
      await harness.stop();
      assert.equal((await harness.fileOf(id)).status, 'requested', 'the stop did not wait for the file');
    } finally {
      resume();
    }
    await start();
    await harness.endsOnce(id);
  });

  it('is taken over by another process after kill -9 in the middle of it', async () => {
    const first = await startProcess();
    const { id, resume } = await hanging();
    first.kill('SIGKILL');
    await once(first, 'exit');
    resume();
    await start();
    await harness.endsOnce(id);
  });

  const startProcess = async (): Promise<ChildProcess> => {
    const program = fileURLToPath(new URL('../main.js', import.meta.url));
    const env = { ...process.env, ...fixture.environment, HEALTH_PORT: '0' };
    const child = fork(program, { env, silent: true });
    const died = once(child, 'exit').then(() => assert.fail('the service ended before it had started'));
    await Promise.race([once(child, 'message'), died]);
    died.catch(() => undefined);
    return child;
  };

  it('fails with a sentence and a dead letter when the bucket is missing, which the readiness reports', async () => {
    await start({ EXPORT_ATTEMPTS: 2 });
    const bucket = join(fixture.s3.dir, 'data', fixture.s3.bucket);
    await rename(bucket, `${bucket}-away`);
    const letters = await deadLetters();
    const failed = await harness.ended((await harness.create({ event })).id);
    assert.ok(failed.status === 'failed');
    assert.match(failed.error, /the file storage did not accept it.*You were not charged/);
    assert.equal(await deadLetters(), letters + 1);
    assert.equal(await outcomes('given_up'), 1);
    health.serving = true;
    assert.match((await readiness(health)).checks['object_store'] ?? '', /not_found/);
    await rename(`${bucket}-away`, bucket);
    await leavesNothing(failed.id);
    await assert.rejects(
      harness.link(failed.id),
      (error) => error instanceof DomainError && error.detail === failed.error,
    );
    // A later export gets its file.
    const again = await harness.ready({ event });
    assert.equal(again.file_key, failed.file_key);
    const types = await harness.eventsOf('EVT_FILE', subjects.file(again.file_key));
    assert.deepEqual(types, ['FileRequested', 'FileFailed', 'FileRequested', 'FileReady']);
  });

  it('fails when ClickHouse breaks off, and leaves nothing half-written', async () => {
    await start({ EXPORT_ATTEMPTS: 2 });
    await harness.storeEvent(longRows);
    await damage(fixture, tickerOf(event));
    const failed = await harness.ended((await harness.create({ event })).id);
    assert.ok(failed.status === 'failed');
    assert.match(failed.error, /could not be prepared/);
    assert.equal(await outcomes('failed'), 1);
    await leavesNothing(failed.id);
  });

  describe('because storage is full', () => {
    let full: Server;
    before(async () => {
      full = createServer((request, response) => {
        request.resume();
        response.writeHead(507, { 'content-type': 'application/xml' });
        response.end('<Error><Code>XMinioStorageFull</Code><Message>full</Message></Error>');
      });
      await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve));
    });
    after(() => full.close());

    it('names the full storage', async () => {
      await start({
        EXPORT_ATTEMPTS: 2,
        S3_ENDPOINT: `http://127.0.0.1:${(full.address() as AddressInfo).port}`,
      });
      const failed = await harness.ended((await harness.create({ event })).id);
      assert.ok(failed.status === 'failed');
      assert.match(failed.error, /the file storage is full/);
    });
  });
});

/**
 * Flips bytes in the middle of a column of the largest part, as a failing disk does. Earlier bytes stay readable. The files
 * look older than ClickHouse, which ends when a part broke after its start.
 */
const damage = async (fixture: KillableStoresFixture, ticker: string): Promise<void> => {
  const [part] = await rows(
    fixture.operator,
    {
      sql: `SELECT path FROM system.parts WHERE active AND table = 'snapshots' AND name IN
        (SELECT DISTINCT _part FROM snapshots WHERE ticker = {ticker:String}) ORDER BY rows DESC LIMIT 1`,
      params: { ticker },
    },
    z.object({ path: z.string() }),
  );
  assert.ok(part !== undefined);
  const file = await open(join(part.path, 'coin_price.bin'), 'r+');
  try {
    const { size } = await file.stat();
    await file.write(Buffer.alloc(64, 0x5a), 0, 64, Math.floor(size / 2));
  } finally {
    await file.close();
  }
  for (const name of await readdir(part.path)) await utimes(join(part.path, name), new Date(0), new Date(0));
};
