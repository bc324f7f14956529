/** Needs root, to mount a small file system that it fills. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ComparedReads, startComparedReads } from './testing/compared-reads.js';
import { checkSame, makeSlab, newMarket } from './testing/one-slab.js';

const isRoot = process.getuid?.() === 0;

describe('slabs on a full disk', { skip: isRoot ? false : 'only root can mount a small file system' }, () => {
  let folder: string;
  let tested: ComparedReads;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slabs-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    tested = await startComparedReads({ folder, pauseMs: 600_000 });
  });
  after(async () => {
    await tested.stop();
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  });

  it('are left out: reads come from ClickHouse, and nobody tries again for a while', async () => {
    const ticker = await newMarket(tested);
    await makeSlab(tested, ticker);
    await checkSame(tested, ticker);
    await makeSlab(tested, ticker);
    assert.equal(await tested.metric('almanac_slabs_failed_total'), 1);
    assert.deepEqual(await readdir(folder), []);
    assert.equal((await tested.counts()).hit, 0);
  });
});
