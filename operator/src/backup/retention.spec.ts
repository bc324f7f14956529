import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expired, type Retention } from './retention.js';

const none: Retention = { last: 0, daily: 0, weekly: 0, monthly: 0 };
/** Only the time counts. */
const backupAt = (time: string) => ({
  folder: time,
  manifest: { started_us: Date.parse(`${time}Z`) * 1_000 } as never,
});
const remaining = (times: readonly string[], retention: Partial<Retention>): string[] => {
  const gone = expired(times.map(backupAt), { ...none, ...retention }).map(({ folder }) => folder);
  return times.filter((time) => !gone.includes(time));
};

describe('the retention of backups', () => {
  // 2026-11-30 is a Monday.
  const times = [
    '2026-10-31T03:17',
    '2026-11-01T03:17',
    '2026-11-22T03:17',
    '2026-11-23T03:17',
    '2026-11-29T03:17',
    '2026-11-29T15:00',
    '2026-11-30T03:17',
  ];

  it('keeps the newest of each of the last days, weeks and months that have one', () => {
    assert.deepEqual(remaining(times, { daily: 2 }), ['2026-11-29T15:00', '2026-11-30T03:17']);
    assert.deepEqual(remaining(times, { weekly: 3 }), ['2026-11-22T03:17', '2026-11-29T15:00', '2026-11-30T03:17']);
    assert.deepEqual(remaining(times, { monthly: 5 }), ['2026-10-31T03:17', '2026-11-30T03:17']);
    assert.deepEqual(remaining(times, { last: 3 }), times.slice(-3));
    assert.deepEqual(remaining(times, { daily: 1, monthly: 2 }), ['2026-10-31T03:17', '2026-11-30T03:17']);
  });

  it('always keeps the newest, and lists the others oldest first', () => {
    assert.deepEqual(remaining(times, {}), ['2026-11-30T03:17']);
    const gone = expired(times.toReversed().map(backupAt), none).map(({ folder }) => folder);
    assert.deepEqual(gone, times.slice(0, -1));
    assert.deepEqual(expired([], none), []);
  });
});
