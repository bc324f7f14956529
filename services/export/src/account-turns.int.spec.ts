import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { durables, type Running, subjects } from '@almanac/bus';
import { fileState } from '@almanac/contracts';
import { type EventStore, execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { eventually } from '@almanac/testing';
import { completeExports } from './exports/complete-exports.reactor.js';
import { exportDecider } from './exports/export.decider.js';
import { requestFiles } from './exports/request-files.reactor.js';
import { waitersOf } from './files/waiters.js';
import { prepareFiles, type PrepareFilesOptions } from './files/prepare-files.reactor.js';
import { eventQuery } from './testing/event-query.js';
import { log, metrics } from './testing/fixture.js';
import { type ExportHarness, startHarnessWithStreams } from './testing/harness.js';

describe('the files of several accounts', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let store: EventStore;
  const running: Running[] = [];
  before(async () => {
    ({ harness, store } = await startHarnessWithStreams());
  });
  after(() => harness.close());
  afterEach(async () => {
    for (const part of running.splice(0)) await part.stop();
  });

  const work = async (stores: Pick<PrepareFilesOptions, 'clickhouse' | 'objects'>): Promise<void> => {
    const limits = { concurrency: 1, largeFromRows: 500_000, attempts: 10 };
    running.push(
      await prepareFiles({ bus: harness.own, store, log, metrics, ...stores, ...limits }),
      await completeExports(harness.own, store, log),
      await requestFiles(harness.own, store, log),
    );
  };
  const request = async (account: string, event: string): Promise<string> => {
    const [id, file_key] = [randomUUID(), randomUUID()];
    const question = { ...eventQuery, event };
    await execute(store, exportDecider(account, id), {
      subject: subjects.export(account, id),
      command: { type: 'request', request: { question, grant: 'plan', file_key, filename: 'x.csv', requested_us: 1 } },
      id: randomUUID(),
      cachedState: null,
      account,
      time: 1,
      timeoutMs: 60_000,
    });
    return file_key;
  };
  const held = (files: number) =>
    eventually(async () => {
      const { num_ack_pending } = await harness.inspector.jsm.consumers.info('EVT_FILE', durables.exportWorkers);
      assert.equal(num_ack_pending, files);
    });

  it('are prepared in turn, so a long queue of one account does not hold up another', async () => {
    const { account: busy, event } = await harness.change();
    const other = randomUUID();
    const gate = Promise.withResolvers<void>();
    const uploaded: string[] = [];
    const objects: ObjectStore = {
      ...harness.fixture.objects,
      putStream: async (key, ...call) => {
        uploaded.push(key.split('/')[1] ?? '');
        await gate.promise;
        return harness.fixture.objects.putStream(key, ...call);
      },
    };
    await work({ clickhouse: harness.fixture.clickhouse, objects });
    await request(busy, event);
    await eventually(() => assert.equal(uploaded.length, 1));
    for (let file = 0; file < 6; file += 1) await request(busy, event);
    await held(7);
    const last = await request(other, event);
    await held(8);
    gate.resolve();
    await eventually(() => assert.equal(uploaded.length, 8), { timeoutMs: 60_000 });
    assert.ok(uploaded.indexOf(last) <= 4, `the other account's file is number ${uploaded.indexOf(last) + 1} of 8`);
  });

  it('take two statements and two events each, if one export wants the file', async (context) => {
    const { account, event } = await harness.change();
    const { clickhouse, objects } = harness.fixture;
    const { mock: statements } = context.mock.method(clickhouse.client, 'exec');
    await work({ clickhouse, objects });
    const key = await request(account, event);
    await eventually(async () =>
      assert.equal((await store.load(subjects.file(key), fileState))?.state.status, 'ready'),
    );
    assert.equal(statements.callCount(), 2);
    assert.deepEqual(await harness.eventsOf('EVT_FILE', subjects.file(key)), ['FileWanted', 'FileReady']);
    for await (const { export_id } of waitersOf(harness.own, key, Number.POSITIVE_INFINITY))
      assert.fail(`${export_id} has an event of its own`);
  });
});
