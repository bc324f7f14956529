import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { ArchiveError } from '../errors.js';
import { batchBuilder, batchedMarket } from '../import/observation-batch.js';
import { memoryArchive } from '../import/testing/memory-archive.js';
import { outageReason, BufferedArchive } from './buffered-archive.js';
import { deliveryQueue } from './delivery-queue.js';

/** A batch of one market with a row at each time. */
const batchAt = (...times: number[]) => {
  const builder = batchBuilder('l2');
  const market = batchedMarket('A', 'S');
  const book = { yes: '[]', no: '[]', coinAgeUs: null };
  for (const us of times)
    builder.add(market, { us, venueUs: null, seq: us, bid: null, ask: null, coinPrice: null }, book);
  const batch = builder.take();
  assert.ok(batch);
  return batch;
};

test('rows wait for an unavailable archive, and those beyond the limit become one gap, which ends with the next stored row', async () => {
  const { archive, rows, gaps } = memoryArchive();
  let isUnavailable = true;
  const unavailable = () =>
    Promise.reject(new ArchiveError('unavailable', { cause: new DomainError('unavailable', 'Unavailable.') }));
  const stored = (call: () => Promise<void>) => (isUnavailable ? unavailable() : call());
  const size = batchAt(10, 20).body.length;
  const queue = deliveryQueue({ bytesMax: size * 2.5, retryMs: 1, onWaiting: () => undefined });
  const buffered = new BufferedArchive(
    {
      ...archive,
      storeObservations: (batch) => stored(() => archive.storeObservations(batch)),
      storeGaps: (given) => stored(() => archive.storeGaps(given)),
    },
    queue,
    () => assert.fail('it was only unavailable'),
  );
  for (const times of [
    [10, 20],
    [30, 40],
    [50, 60],
    [70, 80],
    [90, 91],
  ])
    await buffered.storeObservations(batchAt(...times));
  isUnavailable = false;
  await eventually(() => assert.strictEqual(queue.waitingBytes(), 0));
  await buffered.storeObservations(batchAt(100));
  assert.ok(await queue.end(60_000));
  assert.deepStrictEqual(
    Array.from(rows.values(), ({ seq }) => Number(seq)),
    [10, 20, 30, 40, 100],
  );
  assert.deepStrictEqual([...gaps.values()], [{ ticker: 'A', start_us: 40, end_us: 100, reason: outageReason }]);
});

test('rows that the archive refuses for good are reported, and their time is a gap', async () => {
  const { archive, gaps } = memoryArchive();
  const waitReasons: string[] = [];
  const queue = deliveryQueue({ bytesMax: 10_000, retryMs: 1, onWaiting: () => assert.fail('it was available') });
  const bad = new ArchiveError('bad', { cause: new DomainError('invalid_input', 'Bad rows.') });
  const buffered = new BufferedArchive(
    {
      ...archive,
      storeObservations: () => Promise.reject(bad),
      recordCatalogue: () => Promise.resolve([{ outcome: 'refused', reason: 'no ticker' }]),
    },
    queue,
    (what, why) => void waitReasons.push(`${what}: ${why}`),
  );
  assert.deepStrictEqual(await buffered.recordCatalogue([{ kind: 'market', ticker: 'A' }]), [{ outcome: 'unchanged' }]);
  await buffered.storeObservations(batchAt(10, 20));
  assert.ok(await queue.end(60_000));
  assert.deepStrictEqual(waitReasons, ['a fact: no ticker', '2 rows: bad']);
  assert.deepStrictEqual([...gaps.values()], [{ ticker: 'A', start_us: 10, end_us: null, reason: outageReason }]);
});
