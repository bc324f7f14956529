import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { durables, subjects } from '@almanac/bus';
import { exportState, fileState, type FileWaiter } from '@almanac/contracts';
import { execute } from '@almanac/event-store';
import type { ObjectStore } from '@almanac/object-store';
import { forEachConcurrent } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { cancelExport } from '../exports/cancel-export.command.js';
import { downloadLinks } from '../exports/download-links.query.js';
import { log, metrics } from '../testing/fixture.js';
import { refuses } from '../testing/harness.js';
import {
  envelope,
  type ExportIds,
  recordExport,
  startWorkersHarness,
  type WorkersHarness,
} from '../testing/workers.js';
import { fileDecider } from './file.decider.js';
import { waitersOf } from './waiters.js';

let harness: WorkersHarness;
let account: string;
let event: string;
before(async () => {
  harness = await startWorkersHarness();
});
after(() => harness.close());
beforeEach(async () => {
  ({ account, event } = await harness.change());
});
afterEach(() => harness.stopParts());

const request = (ids: ExportIds = {}, of = account): Promise<string> =>
  recordExport(harness.store, { account: of, event, ...ids });
/** The object store, with something done before or after each upload. */
const objectsWith = (
  around: (upload: () => ReturnType<ObjectStore['putStream']>, key: string) => unknown,
): ObjectStore =>
  ({
    ...harness.fixture.objects,
    putStream: (key, ...call) => around(() => harness.fixture.objects.putStream(key, ...call), key),
  }) as ObjectStore;
const waitersFor = async (key: string): Promise<FileWaiter[]> => {
  const waiters = [...((await harness.store.load(subjects.file(key), fileState))?.state.waiting ?? [])];
  for await (const waiter of waitersOf(harness.own, key, Number.POSITIVE_INFINITY)) waiters.push(waiter);
  return waiters;
};
const exportEventsOf = (id: string) => harness.eventsOf('EVT_EXPORT', subjects.export(account, id));

describe('the files of several accounts', { timeout: 240_000 }, () => {
  const allEnd = () =>
    eventually(async () => {
      const { num_pending, num_ack_pending } = await harness.inspector.jsm.consumers.info(
        'EVT_FILE',
        durables.exportWorkers,
      );
      assert.equal(num_pending + num_ack_pending, 0);
    });
  const waitingFiles = async () => (await metrics.waiting.get()).values[0]?.value ?? 0;

  it('are prepared in turn, so a long queue of one account does not hold up another', async () => {
    const gate = Promise.withResolvers<void>();
    const uploaded: string[] = [];
    const objects = objectsWith(async (upload, key) => {
      uploaded.push(key.split('/')[1] ?? '');
      await gate.promise;
      return upload();
    });
    const earlier = await waitingFiles();
    // A file waits for its turn only after its rows are counted.
    const allWait = (files: number) => eventually(async () => assert.equal((await waitingFiles()) - earlier, files));
    await harness.work({ objects, concurrency: 1 });
    await request();
    await eventually(() => assert.equal(uploaded.length, 1));
    for (let file = 0; file < 6; file += 1) await request();
    await allWait(6);
    const last = randomUUID();
    await request({ file_key: last }, randomUUID());
    await allWait(7);
    gate.resolve();
    await eventually(() => assert.equal(uploaded.length, 8), { timeoutMs: 60_000 });
    assert.ok(uploaded.indexOf(last) <= 4, `the other account's file is number ${uploaded.indexOf(last) + 1} of 8`);
    await allEnd();
  });

  it('take two statements and two events each, if one export wants the file', async (context) => {
    const { mock: statements } = context.mock.method(harness.fixture.clickhouse.client, 'exec');
    await harness.work();
    const key = randomUUID();
    await request({ file_key: key });
    await eventually(async () =>
      assert.equal((await harness.store.load(subjects.file(key), fileState))?.state.status, 'ready'),
    );
    assert.equal(statements.callCount(), 2);
    assert.deepEqual(await harness.eventsOf('EVT_FILE', subjects.file(key)), ['FileRequested', 'FileReady']);
    assert.equal((await waitersFor(key)).length, 1, 'the export has no event of its own');
  });
});

describe('a file after a crash', { timeout: 240_000 }, () => {
  it('between the upload and its record is made again, and ready once', async () => {
    let uploads = 0;
    const objects = objectsWith(async (upload) => {
      const stored = await upload();
      uploads += 1;
      if (uploads === 1) throw new Error('a crash after the upload');
      return stored;
    });
    await harness.work({ objects });
    await harness.endsOnce(await request());
    assert.equal(uploads, 2);
  });

  it('between the file and its exports ends each export once', async () => {
    await harness.prepare();
    await harness.requestFiles();
    const id = await request();
    const { objects } = harness.fixture;
    const links = downloadLinks({ store: harness.store, objects, log, ttlS: 900, recordsUses: false });
    await refuses(links.link({ account, exportId: id, public: true, missing: false }), 'export_preparing');
    await eventually(async () => assert.equal((await harness.fileOf(id)).status, 'ready'));
    assert.equal((await harness.stateOf(id))?.status, 'pending');
    await harness.complete();
    await harness.endsOnce(id);
  });

  it('that two workers make keeps the object of the first, and the other is removed', async () => {
    const gate = Promise.withResolvers<void>();
    const uploaded: string[] = [];
    const objects = objectsWith(async (upload, key) => {
      const stored = await upload();
      uploaded.push(key);
      await gate.promise;
      return stored;
    });
    await harness.work({ objects });
    const id = await request();
    await eventually(() => assert.equal(uploaded.length, 1));
    const { key } = await harness.fileOf(id);
    const file = { storage_key: 'files/another', bytes: 1, row_count: 1, markets: 1, sha256: 'x' };
    await execute(harness.store, fileDecider(key), {
      ...envelope(subjects.file(key)),
      command: { type: 'complete', file, manifest: '' },
    });
    gate.resolve();
    await eventually(async () => assert.equal(await harness.fixture.objects.head(uploaded[0] ?? ''), undefined));
    assert.equal((await harness.fileOf(id)).file?.storage_key, 'files/another');
  });
});

describe('a file of a cancelled export', { timeout: 240_000 }, () => {
  const cancel = (exportId: string) => cancelExport(harness.store, { account, exportId }, 60_000);

  it('is not made when the cancellation comes before the file is requested', async () => {
    const file_key = randomUUID();
    const id = await request({ file_key });
    await cancel(id);
    await harness.work();
    // This export was requested after the first was ready, so the consumer has passed the first.
    await harness.endsOnce(await request());
    assert.equal(await harness.store.load(subjects.file(file_key), fileState), undefined);
    assert.deepEqual(await exportEventsOf(id), ['ExportRequested', 'ExportCancelled']);
  });

  it('is made for the others that wait, and does not end the cancelled one again', async () => {
    const gate = Promise.withResolvers<void>();
    const uploading = Promise.withResolvers<void>();
    const objects = objectsWith(async (upload) => {
      uploading.resolve();
      await gate.promise;
      return upload();
    });
    await harness.work({ objects });
    const file_key = randomUUID();
    const [continuedExport, dropped] = [await request({ file_key }), await request({ file_key })];
    await uploading.promise;
    await eventually(async () => assert.equal((await waitersFor(file_key)).length, 2));
    await cancel(dropped);
    gate.resolve();
    await harness.endsOnce(continuedExport);
    await harness.stopParts();
    assert.deepEqual(await exportEventsOf(dropped), ['ExportRequested', 'ExportCancelled']);
  });
});

describe('a file that many exports wait for', { timeout: 580_000 }, () => {
  /** More than are completed in one batch. */
  const exportsN = 250;
  const eventBytesMax = 4_096;

  it('completes all of them, and its events do not grow with their number', async () => {
    const file_key = randomUUID();
    const gate = Promise.withResolvers<void>();
    const objects = objectsWith(async (upload) => {
      await gate.promise;
      return upload();
    });
    await harness.work({ objects });
    const ids = Array.from({ length: exportsN }, () => randomUUID());
    await forEachConcurrent(ids, 32, async (id) => void (await request({ id, file_key })));
    await eventually(
      async () => {
        const { jsm } = harness.inspector;
        const { num_pending, num_ack_pending } = await jsm.consumers.info('EVT_EXPORT', durables.exportFiles);
        assert.deepEqual([num_pending, num_ack_pending], [0, 0]);
      },
      { timeoutMs: 300_000 },
    );
    gate.resolve();
    const pending = new Set(ids);
    await eventually(
      async () => {
        for (const id of pending) {
          const loaded = await harness.store.load(subjects.export(account, id), exportState);
          assert.equal(loaded?.state.status, 'ready');
          pending.delete(id);
        }
      },
      { timeoutMs: 200_000 },
    );
    const { state } = await harness.inspector.jsm.streams.info('EVT_FILE');
    for (let seq = 1; seq <= state.last_seq; seq += 1) {
      const message = await harness.inspector.jsm.streams.getMessage('EVT_FILE', { seq });
      const size = message?.data.length ?? 0;
      assert.ok(size < eventBytesMax, `event ${seq} has ${size} bytes`);
    }
  });
});
