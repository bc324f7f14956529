import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { ArchiveError } from '../errors.js';
import { deliveryQueue } from './delivery-queue.js';

const unavailable = () =>
  new ArchiveError('unavailable', { cause: new DomainError('unavailable', 'It is unavailable.') });

test('deliveries wait in order while the archive is unavailable, and those beyond the limit are refused', async () => {
  const delivered: number[] = [];
  const waitReasons: string[] = [];
  let isUnavailable = true;
  const queue = deliveryQueue({ bytesMax: 30, retryMs: 1, onWaiting: (why) => void waitReasons.push(why) });
  const delivery = (id: number) => ({
    bytes: 10,
    deliver: () => (isUnavailable ? Promise.reject(unavailable()) : Promise.resolve(void delivered.push(id))),
    refused: () => assert.fail('it was only unavailable'),
  });
  assert.deepStrictEqual(
    [1, 2, 3, 4].map((id) => queue.put(delivery(id))),
    [true, true, true, false],
  );
  assert.strictEqual(queue.waitingBytes(), 30);
  await eventually(() => assert.ok(waitReasons.length > 3));
  assert.deepStrictEqual(delivered, []);
  isUnavailable = false;
  await eventually(() => assert.deepStrictEqual(delivered, [1, 2, 3]));
  assert.ok(queue.put(delivery(5)));
  assert.ok(await queue.end(60_000));
  assert.deepStrictEqual(delivered, [1, 2, 3, 5]);
});

test('a delivery that the archive refuses for good is returned, and the next ones continue', async () => {
  const seen: string[] = [];
  const queue = deliveryQueue({ bytesMax: 30, retryMs: 1, onWaiting: () => assert.fail('it was available') });
  const bad = new ArchiveError('bad', { cause: new DomainError('invalid_input', 'No such column.') });
  queue.put({ bytes: 1, deliver: () => Promise.reject(bad), refused: (why) => void seen.push(why) });
  queue.put({ bytes: 1, deliver: () => Promise.resolve(void seen.push('next')), refused: () => undefined });
  assert.ok(await queue.end(60_000));
  assert.deepStrictEqual(seen, ['bad', 'next']);
});

test('the end does not wait for an archive that stays unavailable', async () => {
  const queue = deliveryQueue({ bytesMax: 30, retryMs: 60_000, onWaiting: () => undefined });
  queue.put({ bytes: 1, deliver: () => Promise.reject(unavailable()), refused: () => undefined });
  assert.ok(!(await queue.end(50)));
});
