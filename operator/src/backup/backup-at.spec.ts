import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../error-message.js';
import { backupAt } from './backup-at.js';

const us = (time: string): number => Date.parse(time) * 1_000;
const backupOf = (folder: string, started: string, ended: string) => ({
  folder,
  manifest: { started_us: us(started), ended_us: us(ended) } as never,
});
const backups = [
  backupOf('full', '2026-11-22T03:00Z', '2026-11-22T03:50Z'),
  backupOf('first', '2026-11-23T03:00Z', '2026-11-23T03:10Z'),
  backupOf('second', '2026-11-24T03:00Z', '2026-11-24T03:10Z'),
];

describe('a restore to a moment', () => {
  it('takes the newest backup that ended by then, so that nothing in it is later', () => {
    assert.equal(backupAt(backups, '2026-11-24T03:09:59Z').folder, 'first');
    assert.equal(backupAt(backups, '2026-11-24T03:10:00Z').folder, 'second');
    assert.equal(backupAt(backups, '2027-01-01T00:00:00+01:00').folder, 'second');
    assert.equal(backupAt(backups, String(Date.parse('2026-11-23T00:00Z') / 1_000)).folder, 'full');
  });

  it('is refused before the first backup, and without a zone', () => {
    const refuses = (at: string, text: RegExp) =>
      assert.throws(
        () => backupAt(backups, at),
        (error) => error instanceof UsageError && text.test(error.message),
      );
    refuses('2026-11-22T03:40:00Z', /^No backup ended by then\. The oldest one ended at 2026-11-22 03:50:00 UTC\.$/);
    refuses('2026-11-23T00:00:00', /^The time of --at must be .*2026-11-21T18:00:00Z/);
    refuses('yesterday', /^The time of --at must be /);
    assert.throws(() => backupAt([], '2026-11-23T00:00:00Z'), /has no complete backup/);
  });
});
