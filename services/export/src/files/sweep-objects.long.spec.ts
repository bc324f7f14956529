import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureDeadLetters, ensureStream, subjects } from '@almanac/bus';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { connectObjectStore, type ObjectStore } from '@almanac/object-store';
import { forEachConcurrent, unixMicros } from '@almanac/runtime';
import { testNats, testS3, type TestNats, type TestS3 } from '@almanac/testing';
import { sweepFiles } from './sweep-objects.js';
import { log } from '../testing/fixture.js';

const files = 100_000;
const changed = 100;
const dayUs = 86_400e6;
const query = { event: 'E', ticker: null, series: 'S', day: null, streams: ['snapshots'], format: 'csv' };

describe(`the sweep of ${files} objects`, () => {
  let nats: TestNats;
  let s3: TestS3;
  let bus: AdminBus;
  let objects: ObjectStore;
  before(async () => {
    [nats, s3] = await Promise.all([testNats(), testS3()]);
    bus = await connectBus({ url: nats.url, user: 'export' });
    objects = connectObjectStore({ endpoint: s3.url, region: 'us-east-1', ...s3 });
    await objects.ensureBucket();
    await ensureStream(bus, 'EVT_FILE');
    await ensureDeadLetters(bus);
  });
  after(async () => {
    objects.close();
    await bus.close();
    await Promise.all([nats.stop(), s3.stop()]);
  });

  it('calls the object store for the changed ones alone, in constant memory', async (test) => {
    const start = unixMicros();
    const keys = Array.from({ length: files }, () => randomUUID());
    await forEachConcurrent(keys, 64, async (key) => {
      const storage_key = `files/${key}/x.csv`;
      await objects.putStream(storage_key, Readable.from(['x']), { contentType: 'text/csv' });
      const file = { storage_key, bytes: 1, row_count: 1, markets: 1, sha256: 'x' };
      const state = { key, status: 'ready', query, file, manifest: null, error: null, requested_us: 1 };
      const event = { id: key, type: 'FileReady', version: 1, time: start, account: null, data: {}, state };
      await bus.js.publish(subjects.file(key), JSON.stringify(event));
    });
    // As after the sweeps of the days before.
    const swept = { seq: files - changed, holder: null, until_us: 0 };
    const advanced = { id: 'x', type: 'SweepAdvanced', version: 1, time: start, account: null, data: {}, state: swept };
    await bus.js.publish(subjects.fileSweep('objects'), JSON.stringify(advanced));
    const calls = { list: 0, openUploads: 0, load: 0 };
    const stored = jetStreamStore(bus);
    const store: EventStore = { ...stored, load: (...call) => ((calls.load += 1), stored.load(...call)) };
    const counted: ObjectStore = {
      ...objects,
      list: (prefix) => ((calls.list += 1), objects.list(prefix)),
      openUploads: (prefix) => ((calls.openUploads += 1), objects.openUploads(prefix)),
    };
    const options = { bus, store, objects: counted, log, ageS: 86_400, maxAgeDays: 0, unusedDays: 0 };
    const sweep = (name: string) =>
      sweepFiles(options, { process: name, signal: AbortSignal.timeout(600_000), nowUs: () => start + 2 * dayUs });
    globalThis.gc?.();
    const heapBefore = process.memoryUsage().heapUsed;
    const beganAt = performance.now();
    assert.deepEqual(
      (await Promise.all([sweep('a'), sweep('b')])).toSorted((a, b) => a - b),
      [0, changed],
    );
    const ms = Math.round(performance.now() - beganAt);
    const first = { ...calls };
    await Promise.all([sweep('a'), sweep('b')]);
    const heapMb = Math.round((process.memoryUsage().heapUsed - heapBefore) / 1e6);
    test.diagnostic(JSON.stringify({ first, second: calls, ms, heapMb }));
    assert.deepEqual([first.list, first.openUploads], [changed, changed]);
    assert.deepEqual([calls.list, calls.openUploads, calls.load - first.load], [changed, changed, 2]);
    assert.ok(heapMb < 64, `${heapMb} MB`);
  });
});
