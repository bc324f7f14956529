import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { diskSpaceOf, lowDiskSpaceFault } from './disk-space.js';

const gb = 1e9;
const disk = (freeGb: number, totalGb: number) => ({ name: '/d', freeBytes: freeGb * gb, totalBytes: totalGb * gb });

describe('the free space of a disk', () => {
  it('is low below a twentieth, at most 20 GB and at least 1 GB', () => {
    assert.equal(lowDiskSpaceFault(disk(4.9, 100)), 'the disk /d has 4.9 of 100 GB left');
    assert.equal(lowDiskSpaceFault(disk(5, 100)), null);
    assert.equal(lowDiskSpaceFault(disk(19, 10_000)), 'the disk /d has 19.0 of 10000 GB left');
    assert.equal(lowDiskSpaceFault(disk(20, 10_000)), null);
    assert.equal(lowDiskSpaceFault(disk(0.9, 4)), 'the disk /d has 0.9 of 4 GB left');
    assert.equal(lowDiskSpaceFault(disk(1, 4)), null);
    assert.equal(lowDiskSpaceFault(disk(0.001, 0.3)), 'the disk /d has 1 of 300 MB left');
  });

  it('is read for any folder', async () => {
    const { freeBytes, totalBytes } = await diskSpaceOf(tmpdir());
    assert.ok(freeBytes >= 0 && totalBytes > 0 && freeBytes <= totalBytes);
  });
});
