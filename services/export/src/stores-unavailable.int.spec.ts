import assert from 'node:assert/strict';
import { open, readdir, rename, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { deadLetterStream, durables } from '@almanac/bus';
import { rows } from '@almanac/clickhouse';
import { readiness } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { startExport } from './start.js';
import { startHarnessOn, type ExportHarness, tickerOf } from './testing/harness.js';
import { type KillableStoresFixture, startKillableStoresFixture, testRuntime } from './testing/fixture.js';

describe('a file whose stores fail', { timeout: 280_000 }, () => {
  let fixture: KillableStoresFixture;
  let harness: ExportHarness;
  let event: string;
  let running: ReturnType<typeof testRuntime> | undefined;
  before(async () => {
    fixture = await startKillableStoresFixture();
    harness = await startHarnessOn(fixture);
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ event } = await harness.change());
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  const start = async (config: Partial<KillableStoresFixture['config']> = {}) => {
    running = testRuntime();
    await startExport({ ...fixture.config, ...config }, running.runtime);
    return running.runtime;
  };
  const outcomes = async (outcome: string): Promise<number> => {
    const text = (await running?.runtime.health.metrics.metrics()) ?? '';
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

  it('waits for an unavailable object store without using an attempt', async () => {
    await start({ EXPORT_ATTEMPTS: 1 });
    await fixture.s3.kill();
    const { id } = await harness.create({ event });
    await eventually(async () => assert.ok((await outcomes('waited')) >= 2), { timeoutMs: 120_000 });
    assert.equal((await harness.stateOf(id))?.status, 'pending');
    await fixture.s3.startAgain();
    await harness.endsOnce(id);
    assert.equal(await outcomes('failed'), 0);
  });

  it('waits for a ClickHouse that was killed meanwhile without using an attempt', async () => {
    await start({ EXPORT_ATTEMPTS: 1 });
    await harness.storeEvent(1_000_000);
    const { id } = await harness.create({ event });
    await workBegan();
    await fixture.server.kill();
    await eventually(async () => assert.ok((await outcomes('waited')) >= 1), { timeoutMs: 120_000 });
    await fixture.server.startAgain();
    assert.equal((await harness.endsOnce(id)).file.row_count, 1_000_000);
    assert.equal(await outcomes('failed'), 0);
  });

  it('is handed back unfinished by a worker that stops while it waits', async () => {
    await start({ EXPORT_ATTEMPTS: 1 });
    await fixture.s3.kill();
    const { id } = await harness.create({ event });
    await eventually(async () => assert.ok((await outcomes('waited')) >= 1), { timeoutMs: 120_000 });
    await running?.stop();
    assert.equal((await harness.fileOf(id)).status, 'wanted');
    await fixture.s3.startAgain();
    await start({ EXPORT_ATTEMPTS: 1 });
    await harness.endsOnce(id);
  });

  it('fails with a sentence and a dead letter when the bucket is missing, which the readiness reports', async () => {
    const { health } = await start({ EXPORT_ATTEMPTS: 2 });
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
    await harness.endsOnce((await harness.create({ event, format: 'json' })).id);
  });

  it('fails when ClickHouse breaks off, and leaves nothing half-written', async () => {
    await start({ EXPORT_ATTEMPTS: 2 });
    await harness.storeEvent(1_000_000);
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
