import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { ArchiveError } from '../errors.js';
import { patientLane } from './patient-lane.js';

const away = () => new ArchiveError('away', { cause: new DomainError('unavailable', 'It is away.') });

test('while the archive is away deliveries wait in order, and what is beyond the bound is not taken', async () => {
  const delivered: number[] = [];
  const told: string[] = [];
  let isAway = true;
  const lane = patientLane({ bytesMax: 30, retryMs: 1, onWaiting: (why) => void told.push(why) });
  const delivery = (id: number) => ({
    bytes: 10,
    deliver: () => (isAway ? Promise.reject(away()) : Promise.resolve(void delivered.push(id))),
    refused: () => assert.fail('it was only away'),
  });
  assert.deepStrictEqual(
    [1, 2, 3, 4].map((id) => lane.put(delivery(id))),
    [true, true, true, false],
  );
  assert.strictEqual(lane.waitingBytes(), 30);
  await eventually(() => assert.ok(told.length > 3));
  assert.deepStrictEqual(delivered, []);
  isAway = false;
  await eventually(() => assert.deepStrictEqual(delivered, [1, 2, 3]));
  assert.ok(lane.put(delivery(5)));
  assert.ok(await lane.end(60_000));
  assert.deepStrictEqual(delivered, [1, 2, 3, 5]);
});

test('what the archive will never take is given back, and what follows goes on', async () => {
  const seen: string[] = [];
  const lane = patientLane({ bytesMax: 30, retryMs: 1, onWaiting: () => assert.fail('it was not away') });
  const bad = new ArchiveError('bad', { cause: new DomainError('invalid_input', 'No such column.') });
  lane.put({ bytes: 1, deliver: () => Promise.reject(bad), refused: (why) => void seen.push(why) });
  lane.put({ bytes: 1, deliver: () => Promise.resolve(void seen.push('next')), refused: () => undefined });
  assert.ok(await lane.end(60_000));
  assert.deepStrictEqual(seen, ['bad', 'next']);
});

test('the end does not wait for an archive that stays away', async () => {
  const lane = patientLane({ bytesMax: 30, retryMs: 60_000, onWaiting: () => undefined });
  lane.put({ bytes: 1, deliver: () => Promise.reject(away()), refused: () => undefined });
  assert.ok(!(await lane.end(50)));
});
