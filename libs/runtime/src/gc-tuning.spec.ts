import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { heapGrowthFlag, heapGrowthPercent } from './gc-tuning.js';

describe('the garbage before a full collection', () => {
  it('is limited by a flag that this Node has: it ignores an unknown one', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
    assert.match(stdout, new RegExp(`^  ${heapGrowthFlag} \\(`, 'm'));
  });

  it('is 40 MB, at most as much as is in use, and at least 15% of it', () => {
    assert.deepEqual([20e6, 40e6, 80e6, 200e6, 400e6].map(heapGrowthPercent), [100, 100, 50, 20, 15]);
  });
});
