// Of the full run: it measures memory while 512 MB pass.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const program = fileURLToPath(new URL('testing/test-passed-buffers.js', import.meta.url));
const printed = z.object({ peakMb: z.number() });

it('the buffers of a stream that passes through are freed after a few megabytes', async () => {
  const { stdout } = await run(process.execPath, ['--max-semi-space-size=2', program]);
  const { peakMb } = printed.parse(JSON.parse(stdout));
  assert.ok(peakMb < 35, `there were ${peakMb.toFixed()} MB of buffers`);
});
