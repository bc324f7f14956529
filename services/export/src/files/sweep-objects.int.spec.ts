import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureDeadLetters, ensureStream, subjects } from '@almanac/bus';
import { fileState, fileSweep, type FileState } from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { connectObjectStore, type ObjectStore } from '@almanac/object-store';
import { testNats, testS3, type TestNats, type TestS3 } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import { recordUse } from './remove-files.js';
import { sweepFiles, type SweepOptions } from './sweep-objects.js';
import { leaseMs } from './sweep-stream.js';
import { log } from '../testing/fixture.js';
import { eventQuery } from '../testing/queries.js';

const dayUs = 86_400e6;

describe('the sweep of files', { timeout: 240_000 }, () => {
  let nats: TestNats;
  let s3: TestS3;
  let bus: AdminBus;
  let store: EventStore;
  let objects: ObjectStore;
  const none = () => ({ list: 0, openUploads: 0, load: 0, delete: 0 });
  let calls: ReturnType<typeof none>;
  let options: SweepOptions;
  const start = unixMicros();

  before(async () => {
    [nats, s3] = await Promise.all([testNats(), testS3()]);
    bus = await connectBus({ url: nats.url, user: 'export' });
    objects = connectObjectStore({ endpoint: s3.url, region: 'us-east-1', ...s3 });
    await objects.ensureBucket();
  });
  after(async () => {
    objects.close();
    await bus.close();
    await Promise.all([nats.stop(), s3.stop()]);
  });
  beforeEach(async () => {
    await bus.jsm.streams.delete('EVT_FILE').catch(() => undefined);
    await ensureStream(bus, 'EVT_FILE');
    await ensureDeadLetters(bus);
    calls = none();
    store = jetStreamStore(bus);
    options = { ...counting(), bus, log, ageS: 86_400, maxAgeDays: 0, unusedDays: 0 };
  });

  const count = (name: keyof typeof calls): number => (calls[name] += 1);
  const counting = (): { store: EventStore; objects: ObjectStore } => ({
    store: { ...store, load: (...args) => (count('load'), store.load(...args)) },
    objects: {
      ...objects,
      list: (prefix) => (count('list'), objects.list(prefix)),
      openUploads: (prefix) => (count('openUploads'), objects.openUploads(prefix)),
      delete: (key) => (count('delete'), objects.delete(key)),
    },
  });

  const put = (key: string) => objects.putStream(key, Readable.from(['x']), { contentType: 'text/csv' });
  const exists = async (key: string) => (await objects.head(key)) !== undefined;
  /** Records an event of a file, with an object if it is ready. */
  const record = async (status: FileState['status'], time = start, key = randomUUID() as string) => {
    const storage_key = `files/${key}/${randomUUID()}.csv`;
    const isReady = status === 'ready';
    const file = isReady ? { storage_key, bytes: 1, row_count: 1, markets: 1, sha256: 'x' } : null;
    if (isReady) await put(storage_key);
    const type = isReady ? 'FileReady' : status === 'failed' ? 'FileFailed' : 'FileRequested';
    const state = {
      key,
      status,
      query: eventQuery,
      waiting: [],
      file,
      manifest: null,
      error: null,
      requested_us: 1,
    };
    const event = { id: randomUUID(), type, version: 1, time, account: null, data: {}, state } as const;
    const seq = (await store.load(subjects.file(key), fileState))?.seq ?? 0;
    await store.append(subjects.file(key), event, seq);
    return { key, storage_key, left: `files/${key}/left.csv` };
  };
  const sweep = (inDays: number, process = 'p', changes: Partial<SweepOptions> = {}) =>
    sweepFiles(
      { ...options, ...changes },
      { process, signal: AbortSignal.timeout(120_000), nowUs: () => start + inDays * dayUs },
    );

  it('deletes what belongs to no file, and nothing of a wanted or young file', async () => {
    const [ready, failed, wanted] = [await record('ready'), await record('failed'), await record('requested')];
    const young = await record('ready', start + dayUs);
    for (const { left } of [ready, failed, wanted, young]) await put(left);
    await sweep(1.5);
    const stays = [ready.left, ready.storage_key, failed.left, wanted.left, young.left, young.storage_key].map(exists);
    assert.deepEqual(await Promise.all(stays), [false, true, false, true, true, true]);
    await record('ready', start + dayUs, wanted.key);
    await sweep(2.5);
    assert.deepEqual(await Promise.all([exists(wanted.left), exists(young.left)]), [false, false]);
  });

  it('calls the object store only for files with events since the last sweep', async () => {
    for (let n = 0; n < 10; n += 1) await record('ready');
    await sweep(2);
    assert.deepEqual([calls.list, calls.openUploads], [10, 10]);
    calls = none();
    for (const process of ['p', 'q', 'r']) await sweep(3, process);
    assert.deepEqual(calls, { ...none(), load: 3 });
    await record('ready', start + dayUs);
    await sweep(4);
    assert.deepEqual([calls.list, calls.openUploads], [1, 1]);
  });

  it('runs in one process at a time', async () => {
    for (let n = 0; n < 20; n += 1) await record('ready');
    const swept = await Promise.all(['a', 'b', 'c', 'd'].map((process) => sweep(2, process)));
    assert.deepEqual(
      swept.toSorted((a, b) => a - b),
      [0, 0, 0, 20],
    );
    assert.equal(calls.list, 20);
  });

  it('continues in another process after a crash, at the last stored position', async () => {
    // It stores its position after every 500.
    for (let n = 0; n < 560; n += 1) await record('failed');
    let listed = 0;
    const crashing: ObjectStore = {
      ...objects,
      list: (prefix) => {
        listed += 1;
        if (listed > 520) throw new Error('a crash in mid-sweep');
        return objects.list(prefix);
      },
    };
    await assert.rejects(sweep(2, 'a', { objects: crashing }), /mid-sweep/);
    assert.equal(await sweep(2, 'b'), 0, 'the lease of the crashed process holds');
    assert.equal(await sweep(2 + (leaseMs * 1_001) / dayUs, 'b'), 60);
    const position = (await store.load(subjects.fileSweep('objects'), fileSweep))?.state;
    assert.deepEqual([position?.seq, position?.holder], [560, null]);
  });

  it('removes files by age, and unused files a day after their last use', async () => {
    const [used, unused] = [await record('ready'), await record('ready')];
    await recordUse({ store, log }, used.key, start + 0.5 * dayUs);
    const policy = { maxAgeDays: 0, unusedDays: 3 };
    await sweep(2.9, 'p', policy);
    assert.deepEqual([await exists(used.storage_key), await exists(unused.storage_key)], [true, true]);
    await sweep(3.1, 'p', policy);
    assert.deepEqual([await exists(used.storage_key), await exists(unused.storage_key)], [true, false]);
    await sweep(4.6, 'p', policy);
    assert.equal(await exists(used.storage_key), false);
    const aged = await record('ready');
    await recordUse({ store, log }, aged.key, start + 6 * dayUs);
    await sweep(6.9, 'p', { maxAgeDays: 7 });
    assert.ok(await exists(aged.storage_key));
    await sweep(7.1, 'p', { maxAgeDays: 7 });
    assert.ok(!(await exists(aged.storage_key)));
  });

  it('records one use a day', async () => {
    const { key } = await record('ready');
    const day = Math.floor(start / dayUs) * dayUs;
    for (const us of [0, 1, dayUs - 1, dayUs, dayUs + 1]) await recordUse({ store, log }, key, day + us);
    const { state } = await bus.jsm.streams.info('EVT_FILE', { subjects_filter: subjects.fileUse(key) });
    assert.equal(state.subjects?.[subjects.fileUse(key)], 2);
  });
});
