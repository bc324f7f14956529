import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type Running, subjects } from '@almanac/bus';
import { DomainError, fileState, type FileWaiter } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { eventually } from '@almanac/testing';
import { cancelExport } from './exports/cancel-export.js';
import { completeExports } from './exports/complete-exports.reactor.js';
import { endExport } from './exports/end-export.js';
import { exportDecider } from './exports/export.decider.js';
import { requestFiles } from './exports/request-files.reactor.js';
import { waitersOf } from './files/waiters.js';
import { prepareFiles } from './files/prepare-files.reactor.js';
import { startExport } from './start.js';
import { startHarnessWithStreams, refuses, type ExportHarness, thenStop } from './testing/harness.js';
import { log, metrics, testRuntime } from './testing/fixture.js';

const ready = { storage_key: 's', bytes: 1, row_count: 2, markets: 1, sha256: 'h', ready_us: 3 };

describe('cancelling an export', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let store: EventStore;
  let account: string;
  let event: string;
  const running: Running[] = [];
  before(async () => {
    ({ harness, store } = await startHarnessWithStreams());
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ account, event } = await harness.change());
  });
  afterEach(async () => {
    for (const part of running.splice(0)) await part.stop();
  });

  const cancel = (exportId: string, as = account) => cancelExport(store, { account: as, exportId }, 60_000);
  /** Records an export while no part of the service runs. */
  const request = async (file_key: string = randomUUID()): Promise<string> => {
    const id = randomUUID();
    const target = { event, ticker: null, series: 'KXTEST', day: null };
    const exportQuery = {
      ...target,
      streams: ['snapshots' as const],
      format: 'csv' as const,
      numbers: 'decimal' as const,
    };
    await execute(store, exportDecider(account, id), {
      subject: subjects.export(account, id),
      command: {
        type: 'request',
        request: { question: exportQuery, grant: 'plan', file_key, filename: 'x.csv', requested_us: 1 },
      },
      id: randomUUID(),
      account,
      time: 1,
      timeoutMs: 60_000,
    });
    return id;
  };
  const work = async (objects: ObjectStore = harness.fixture.objects): Promise<void> => {
    const { clickhouse } = harness.fixture;
    const limits = { concurrency: 2, largeFromRows: 500_000, attempts: 10 };
    const deps = { bus: harness.own, store, log, clickhouse, objects, metrics, ...limits };
    running.push(
      await prepareFiles(deps),
      await completeExports(harness.own, store, log),
      await requestFiles(harness.own, store, log),
    );
  };
  const eventsOf = (id: string) => harness.eventsOf('EVT_EXPORT', subjects.export(account, id));

  it('ends it once, and a repetition gets the same answer', async () => {
    const id = await request();
    const cancelled = await cancel(id);
    assert.deepEqual([cancelled.status, cancelled.bytes, cancelled.progress], ['cancelled', 0, null]);
    assert.deepEqual(await cancel(id), cancelled);
    assert.deepEqual(await eventsOf(id), ['ExportRequested', 'ExportCancelled']);
  });

  it('is refused for one of another account, for an unknown id and for an invalid UUID', async () => {
    const id = await request();
    await refuses(cancel(id, randomUUID()), 'export_not_found');
    await refuses(cancel(randomUUID()), 'export_not_found');
    await refuses(cancel('no-uuid'), 'export_not_found');
    assert.deepEqual(await eventsOf(id), ['ExportRequested']);
  });

  it('creates no file when it comes before the file is requested', async () => {
    const key = randomUUID();
    const id = await request(key);
    await cancel(id);
    await work();
    // This export was requested after the first was ready, so the consumer has passed the first.
    await harness.endsOnce(await request());
    assert.equal(await store.load(subjects.file(key), fileState), undefined);
    assert.deepEqual(await eventsOf(id), ['ExportRequested', 'ExportCancelled']);
  });

  it('leaves the file that others wait for, and does not end twice when that is ready', async () => {
    const gate = Promise.withResolvers<void>();
    const uploading = Promise.withResolvers<void>();
    const slow: ObjectStore = {
      ...harness.fixture.objects,
      putStream: async (...call) => {
        uploading.resolve();
        await gate.promise;
        return harness.fixture.objects.putStream(...call);
      },
    };
    await work(slow);
    const key = randomUUID();
    const [continuedExport, dropped] = [await request(key), await request(key)];
    await uploading.promise;
    await eventually(async () => {
      const waiters: FileWaiter[] = [...((await store.load(subjects.file(key), fileState))?.state.waiting ?? [])];
      for await (const waiter of waitersOf(harness.own, key, Number.POSITIVE_INFINITY)) waiters.push(waiter);
      assert.equal(waiters.length, 2);
    });
    await cancel(dropped);
    gate.resolve();
    await harness.endsOnce(continuedExport);
    await running[1]?.stop();
    assert.deepEqual(await eventsOf(dropped), ['ExportRequested', 'ExportCancelled']);
  });

  it('races with its end: one of the two wins, and the other learns the outcome', async () => {
    const outcomes = new Map<string, string>();
    for (let round = 0; round < 20 || (round < 500 && outcomes.size < 2); round += 1) {
      const id = await request();
      const waiter = { account, export_id: id };
      const end = () => endExport(store, waiter, { type: 'complete', ready });
      const cancelOnce = () => cancel(id).then(({ status }) => status, codeOf);
      const [outcome] = await (round % 2 === 0
        ? Promise.all([cancelOnce(), end()])
        : Promise.all([end(), cancelOnce()]).then(([, status]) => [status]));
      const state = await harness.stateOf(id);
      assert.equal(outcome, state?.status === 'ready' ? 'export_ended' : 'cancelled');
      outcomes.set(state?.status ?? '', id);
    }
    assert.deepEqual([...outcomes.keys()].toSorted(), ['cancelled', 'ready']);
    for (const id of outcomes.values()) assert.equal((await eventsOf(id)).length, 2);
  });

  it('is a call of the service that the gateway may make', async () => {
    const earlier = await request();
    await cancel(earlier);
    const started = testRuntime();
    await startExport(harness.fixture.config, started.runtime);
    const cancelOnce = async () => {
      const { id } = await harness.create({ event });
      await harness.endsOnce(id);
      await refuses(harness.cancel(id), 'export_ended');
      assert.equal((await harness.cancel(earlier)).status, 'cancelled');
      await refuses(harness.link(earlier), 'export_cancelled');
    };
    await thenStop(cancelOnce(), started.stop);
  });
});

const codeOf = (error: unknown): string => (error instanceof DomainError ? error.code : String(error));
