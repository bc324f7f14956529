// Of the full run: it measures memory.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const program = fileURLToPath(new URL('testing/test-garbage.js', import.meta.url));
const printed = z.object({ grownMb: z.number() });

/** By how many MB the heap of a process grows beyond what it keeps. With as much garbage as it keeps, it would be 300. */
const grownMb = async (storedMb: number): Promise<number> => {
  const env = { ...process.env, STORED_MB: String(storedMb) };
  const { stdout } = await run(process.execPath, ['--max-semi-space-size=2', program], { env });
  return printed.parse(JSON.parse(stdout)).grownMb;
};

it('the garbage before a full collection stays the same in a process that keeps much', async () => {
  const grown = await grownMb(300);
  assert.ok(grown > 10 && grown < 150, `the heap grew by ${grown.toFixed()} MB`);
});
