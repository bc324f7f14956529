import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { heapGrowthFlag } from './gc-tuning.js';

describe('the growth of the heap before a garbage collection', () => {
  // How often V8 collects depends on the machine, so only the benchmark of candles shows the effect.
  it('is set by a flag that this Node has: it ignores an unknown one', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
    assert.match(stdout, new RegExp(`^  ${heapGrowthFlag} \\(`, 'm'));
  });
});
