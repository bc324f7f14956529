import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Running, subjects } from '@almanac/bus';
import { exportState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { forEachConcurrent } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { completeExports } from './exports/complete-exports.reactor.js';
import { exportDecider } from './exports/export.decider.js';
import { requestFiles } from './exports/request-files.reactor.js';
import { prepareFiles } from './files/prepare-files.reactor.js';
import { log, metrics } from './testing/fixture.js';
import { type ExportHarness, startHarnessWithStreams } from './testing/harness.js';

const exportsN = 400;
const eventBytesMax = 4_096;

describe('a file that many exports wait for', { timeout: 580_000 }, () => {
  let harness: ExportHarness;
  let store: EventStore;
  const running: Running[] = [];
  before(async () => {
    ({ harness, store } = await startHarnessWithStreams());
  });
  after(async () => {
    for (const part of running) await part.stop();
    await harness.close();
  });

  const request = async ({ account, event }: { account: string; event: string }, id: string, file_key: string) => {
    const target = { event, ticker: null, series: 'KXTEST', day: null };
    const question = {
      ...target,
      streams: ['snapshots' as const],
      format: 'csv' as const,
      numbers: 'decimal' as const,
    };
    await execute(store, exportDecider(account, id), {
      subject: subjects.export(account, id),
      command: { type: 'request', request: { question, grant: 'plan', file_key, filename: 'x.csv', requested_us: 1 } },
      id: randomUUID(),
      cachedState: null,
      account,
      time: 1,
      timeoutMs: 60_000,
    });
  };

  it('completes all of them, and its events do not grow with their number', async () => {
    const target = await harness.change();
    const key = randomUUID();
    const gate = Promise.withResolvers<void>();
    const objects: ObjectStore = {
      ...harness.fixture.objects,
      putStream: async (...call) => {
        await gate.promise;
        return harness.fixture.objects.putStream(...call);
      },
    };
    const { clickhouse } = harness.fixture;
    const deps = {
      bus: harness.own,
      store,
      log,
      clickhouse,
      objects,
      metrics,
      concurrency: 2,
      attempts: 10,
      largeFromRows: 500_000,
    };
    running.push(
      await prepareFiles(deps),
      await completeExports(harness.own, store, log),
      await requestFiles(harness.own, store, log),
    );
    const ids = Array.from({ length: exportsN }, () => randomUUID());
    await forEachConcurrent(ids, 32, (id) => request(target, id, key));
    const position = async () => harness.inspector.jsm.consumers.info('EVT_EXPORT', 'export-files');
    await eventually(
      async () => {
        const { num_pending, num_ack_pending } = await position();
        assert.deepEqual([num_pending, num_ack_pending], [0, 0]);
      },
      { timeoutMs: 300_000 },
    );
    gate.resolve();
    const statusOf = async (id: string) =>
      (await store.load(subjects.export(target.account, id), exportState))?.state.status;
    await eventually(async () => assert.equal(await statusOf(ids.at(-1) ?? ''), 'ready'), { timeoutMs: 200_000 });
    const pending = new Set(ids);
    await eventually(
      async () => {
        for (const id of pending) if ((await statusOf(id)) === 'ready') pending.delete(id);
        assert.equal(pending.size, 0);
      },
      { timeoutMs: 200_000 },
    );
    const { state } = await harness.inspector.jsm.streams.info('EVT_FILE');
    let largest = 0;
    for (let seq = 1; seq <= state.last_seq; seq += 1) {
      const message = await harness.inspector.jsm.streams.getMessage('EVT_FILE', { seq });
      largest = Math.max(largest, message?.data.length ?? 0);
    }
    assert.ok(largest < eventBytesMax, `the largest event has ${largest} bytes`);
  });
});
