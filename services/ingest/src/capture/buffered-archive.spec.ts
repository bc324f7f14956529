import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError, type RecordedSpan } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { ArchiveError } from '../errors.js';
import { batchBuilder, batchedMarket } from '../intake/observation-batch.js';
import { gapsIn, memoryArchive } from '../import/testing/memory-archive.js';
import { outageReason, BufferedArchive } from './buffered-archive.js';
import { deliveryQueue } from './delivery-queue.js';

const spanOf = (start_us: number, end_us: number): RecordedSpan => ({
  ticker: 'A',
  layer: 'l2',
  start_us,
  end_us,
  tolerance_us: 0,
  sample_us: null,
  end_reason: null,
  basis: null,
  clock: null,
});
const gapOf = (startUs: number, endUs: number | null) => ({ ticker: 'A', startUs, endUs, missing: 'all' });

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

test('rows wait for an unavailable archive, and the time of those beyond the limit is cut out of their span', async () => {
  const { archive, rows, spans } = memoryArchive();
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
      storeSpans: (given) => stored(() => archive.storeSpans(given)),
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
  await buffered.storeSpans([spanOf(10, 100)]);
  assert.ok(await queue.end(60_000));
  assert.deepStrictEqual(
    Array.from(rows.values(), ({ seq }) => Number(seq)),
    [10, 20, 30, 40, 100],
  );
  assert.deepStrictEqual(gapsIn({ spans }), [{ ...gapOf(40, 100), reason: outageReason }]);
});

test('rows that the archive refuses for good are reported, and their time is a gap', async () => {
  const { archive, spans } = memoryArchive();
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
  await buffered.storeSpans([spanOf(5, 20)]);
  assert.ok(await queue.end(60_000));
  assert.deepStrictEqual(waitReasons, ['a fact: no ticker', '2 rows: bad']);
  assert.deepStrictEqual(gapsIn({ spans }), [{ ...gapOf(9, null), reason: outageReason }]);
});
