import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { heapGrowthFlag, heapGrowthPercent } from './gc-tuning.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('testing/test-garbage.js', import.meta.url));
const printed = z.object({ grownMb: z.number() });

/** By how many MB the heap of a process grows beyond what it keeps. With as much garbage as it keeps, it would be 300. */
const grownMb = async (storedMb: number): Promise<number> => {
  const env = { ...process.env, STORED_MB: String(storedMb) };
  const { stdout } = await run(process.execPath, ['--max-semi-space-size=2', program], { env });
  return printed.parse(JSON.parse(stdout)).grownMb;
};

describe('the garbage before a full collection', () => {
  it('is limited by a flag that this Node has: it ignores an unknown one', async () => {
    const { stdout } = await run(process.execPath, ['--v8-options']);
    assert.match(stdout, new RegExp(`^  ${heapGrowthFlag} \\(`, 'm'));
  });

  it('is 40 MB, at most as much as is in use, and at least 15% of it', () => {
    assert.deepEqual([20e6, 40e6, 80e6, 200e6, 400e6].map(heapGrowthPercent), [100, 100, 50, 20, 15]);
  });

  it('stays the same in a process that keeps much', async () => {
    const grown = await grownMb(300);
    assert.ok(grown > 10 && grown < 150, `the heap grew by ${grown.toFixed()} MB`);
  });
});
