import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dryRunArchive, type ObservationBatch } from '../archive.js';
import { ArchiveError } from '../errors.js';
import { observationBatchSender } from './observation-batch-sender.js';

const batchOf = (ticker: string, min_us: number, max_us: number, bytes = 0): ObservationBatch => ({
  columns: 'top',
  rows: 1,
  markets: [{ ticker, rows: 1, min_us, max_us }],
  body: new Uint8Array(bytes),
  keys: { market: new Uint16Array(1), us: new Float64Array(1), values: new Float64Array(1) },
});

/** An archive whose batches complete when the test decides. */
const heldArchive = () => {
  const started: ObservationBatch[] = [];
  const completeStore: (() => void)[] = [];
  return {
    started,
    land: completeStore,
    archive: {
      ...dryRunArchive,
      storeObservations: (batch: ObservationBatch) => {
        started.push(batch);
        return new Promise<void>((resolve) => completeStore.push(resolve));
      },
    },
  };
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('four batches are sent concurrently, and a fifth holds the reading back', async () => {
  const { archive, started, land } = heldArchive();
  const sender = observationBatchSender(archive);
  for (let index = 0; index < 4; index += 1) await sender.send(batchOf('A', index, index), Promise.resolve());
  let sent = false;
  const fifth = sender.send(batchOf('A', 9, 9), Promise.resolve()).then(() => (sent = true));
  await turn();
  assert.equal(started.length, 4);
  assert.equal(sent, false);
  land[0]?.();
  await fifth;
  await turn();
  assert.equal(started.length, 5);
  for (const release of land) release();
  await sender.drained();
  assert.equal(sender.storedRows(), 5);
});

test('as many batches are in flight as their bytes allow', async () => {
  const { archive, started, land } = heldArchive();
  const sender = observationBatchSender(archive, { batches: 9, bytes: 100 });
  for (const bytes of [60, 39, 500]) await sender.send(batchOf(`${bytes}`, 1, 1, bytes), Promise.resolve());
  const next = sender.send(batchOf('A', 1, 1, 1), Promise.resolve());
  await turn();
  assert.equal(started.length, 3);
  land[2]?.();
  await next;
  await turn();
  assert.equal(started.length, 4);
  for (const release of land) release();
  await sender.drained();
});

test('rows of one market and time are stored in the order of the file', async () => {
  const { archive, started, land } = heldArchive();
  const sender = observationBatchSender(archive);
  await sender.send(batchOf('A', 10, 20), Promise.resolve());
  const second = sender.send(batchOf('A', 20, 30), Promise.resolve());
  await turn();
  assert.equal(started.length, 1, 'microsecond 20 stands in both');
  land[0]?.();
  await second;
  await turn();
  assert.equal(started.length, 2);
  land[1]?.();
  await sender.drained();
});

test('a batch is sent after the facts it needs, and a failure is thrown by the next call', async () => {
  const { archive, started } = heldArchive();
  const sender = observationBatchSender(archive);
  await sender.send(batchOf('A', 1, 1), Promise.reject(new ArchiveError('the catalogue is gone')));
  await assert.rejects(sender.drained(), /the catalogue is gone/);
  assert.equal(started.length, 0);
  await assert.rejects(sender.send(batchOf('B', 1, 1), Promise.resolve()), ArchiveError);
});
