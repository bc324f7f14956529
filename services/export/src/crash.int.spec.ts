import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { durables, ensureDeadLetters, ensureStream, type Running, subjects } from '@almanac/bus';
import { execute, jetStreamStore } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { eventually } from '@almanac/testing';
import { completeExports } from './exports/complete-exports.reactor.js';
import { downloadLinks } from './exports/download-links.js';
import { exportDecider } from './exports/export.decider.js';
import { requestFiles } from './exports/request-files.reactor.js';
import { fileDecider } from './files/file.decider.js';
import { prepareFiles } from './files/prepare-files.reactor.js';
import { startExport } from './start.js';
import { startHarness, refuses, type ExportHarness, thenStop } from './testing/harness.js';
import { log, metrics, testRuntime } from './testing/fixture.js';

describe('the export service after a crash', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let account: string;
  let event: string;
  before(async () => {
    harness = await startHarness();
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ account, event } = await harness.change());
  });

  before(async () => {
    await ensureDeadLetters(harness.own);
    await ensureStream(harness.own, 'EVT_EXPORT');
    await ensureStream(harness.own, 'EVT_FILE');
  });
  /** Records an export while the service only answers calls. */
  const request = async (): Promise<string> => {
    const id = randomUUID();
    const exportQuery = {
      event,
      ticker: null,
      series: 'KXTEST',
      day: null,
      streams: ['snapshots' as const],
      format: 'csv' as const,
      numbers: 'decimal' as const,
    };
    await execute(jetStreamStore(harness.own), exportDecider(account, id), {
      subject: subjects.export(account, id),
      command: {
        type: 'request',
        request: { question: exportQuery, grant: 'plan', file_key: randomUUID(), filename: 'x.csv', requested_us: 1 },
      },
      id: randomUUID(),
      account,
      time: 1,
      timeoutMs: 60_000,
    });
    return id;
  };
  const worker = (objects: ObjectStore = harness.fixture.objects): Promise<Running> => {
    const { clickhouse } = harness.fixture;
    return prepareFiles({
      bus: harness.own,
      store: jetStreamStore(harness.own),
      log,
      clickhouse,
      objects,
      metrics,
      concurrency: 2,
      largeFromRows: 500_000,
      attempts: 10,
    });
  };
  const running: Running[] = [];
  afterEach(async () => {
    for (const part of running.splice(0)) await part.stop();
  });

  it('between the upload and its record makes one ready file', async () => {
    let uploads = 0;
    const objects: ObjectStore = {
      ...harness.fixture.objects,
      putStream: async (...call) => {
        const stored = await harness.fixture.objects.putStream(...call);
        uploads += 1;
        if (uploads === 1) throw new Error('a crash after the upload');
        return stored;
      },
    };
    const store = jetStreamStore(harness.own);
    running.push(
      await worker(objects),
      await completeExports(harness.own, store, log),
      await requestFiles(harness.own, store, log),
    );
    await harness.endsOnce(await request());
    assert.equal(uploads, 2);
  });

  it('between the file and its exports ends each export once', async () => {
    const store = jetStreamStore(harness.own);
    running.push(await worker(), await requestFiles(harness.own, store, log));
    const id = await request();
    await refusesWhilePending(id);
    await eventually(async () => assert.equal((await harness.fileOf(id)).status, 'ready'));
    assert.equal((await harness.stateOf(id))?.status, 'pending');
    running.push(await completeExports(harness.own, store, log));
    await harness.endsOnce(id);
  });

  const refusesWhilePending = async (id: string): Promise<void> => {
    const links = downloadLinks({
      store: jetStreamStore(harness.own),
      objects: harness.fixture.objects,
      log,
      ttlS: 900,
      recordsUses: false,
    });
    await refuses(links.link({ account, exportId: id, public: true, missing: false }), 'export_preparing');
  };

  it('with two workers on one file keeps the object of the first and removes the other', async () => {
    const store = jetStreamStore(harness.own);
    const gate = Promise.withResolvers<void>();
    const uploaded: string[] = [];
    const slow: ObjectStore = {
      ...harness.fixture.objects,
      putStream: async (key, ...rest) => {
        const stored = await harness.fixture.objects.putStream(key, ...rest);
        uploaded.push(key);
        await gate.promise;
        return stored;
      },
    };
    running.push(
      await worker(slow),
      await completeExports(harness.own, store, log),
      await requestFiles(harness.own, store, log),
    );
    const id = await request();
    await eventually(() => assert.equal(uploaded.length, 1));
    const { key } = await harness.fileOf(id);
    const file = { storage_key: 'files/another', bytes: 1, row_count: 1, markets: 1, sha256: 'x' };
    await execute(store, fileDecider(key), {
      subject: subjects.file(key),
      command: { type: 'complete', file, manifest: '' },
      id: randomUUID(),
      account: null,
      time: 1,
      timeoutMs: 60_000,
    });
    gate.resolve();
    await eventually(async () => assert.equal(await harness.fixture.objects.head(uploaded[0] ?? ''), undefined));
    assert.equal((await harness.fileOf(id)).file?.storage_key, 'files/another');
  });

  it('hands the work back unfinished when it stops in the middle of a file', async () => {
    await harness.storeEvent(1_000_000);
    const first = testRuntime();
    await startExport(harness.fixture.config, first.runtime);
    const { id } = await harness.create({ event });
    await workBegan();
    await first.stop();
    assert.equal((await harness.fileOf(id)).status, 'wanted', 'the stop did not wait for the file');
    const second = testRuntime();
    await startExport(harness.fixture.config, second.runtime);
    const state = await thenStop(harness.endsOnce(id), second.stop);
    assert.equal(state.file.row_count, 1_000_000);
  });

  it('by kill -9 in the middle of a file lets another process take over within 30 s', async () => {
    await harness.storeEvent(1_000_000);
    const first = await startProcess();
    const { id } = await harness.create({ event });
    await workBegan();
    // Freezes the worker, so that it cannot finish before another one can take over.
    first.kill('SIGSTOP');
    const second = await startProcess();
    first.kill('SIGKILL');
    await once(first, 'exit');
    try {
      await eventually(takenOver, { timeoutMs: 30_000 });
      const state = await harness.endsOnce(id);
      assert.equal(state.file.row_count, 1_000_000);
    } finally {
      second.kill('SIGTERM');
      await once(second, 'exit');
    }
  });

  const takenOver = async (): Promise<void> => {
    const info = await harness.inspector.jsm.consumers.info('EVT_FILE', durables.exportWorkers);
    assert.ok(info.num_redelivered > 0 || info.num_ack_pending === 0);
  };

  const workBegan = () =>
    eventually(async () => {
      const info = await harness.inspector.jsm.consumers.info('EVT_FILE', durables.exportWorkers);
      assert.ok(info.num_ack_pending > 0 && info.num_pending === 0);
    });

  const startProcess = async (): Promise<ChildProcess> => {
    const program = fileURLToPath(new URL('./main.js', import.meta.url));
    const child = fork(program, {
      env: { ...process.env, ...harness.fixture.environment, HEALTH_PORT: '0' },
      silent: true,
    });
    const died = once(child, 'exit').then(() => assert.fail('the service ended before it had started'));
    await Promise.race([once(child, 'message'), died]);
    died.catch(() => undefined);
    return child;
  };
});
