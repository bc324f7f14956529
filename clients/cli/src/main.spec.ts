import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.js', import.meta.url));

describe('an output that is full', () => {
  const run = (stdio: ['ignore' | 'full', 'pipe' | 'full', 'pipe' | 'full'], ...words: string[]) => {
    const full = openSync('/dev/full', 'w');
    const streams = stdio.map((each) => (each === 'full' ? full : each));
    try {
      return spawnSync(process.execPath, [main, ...words], { stdio: streams, encoding: 'utf8' });
    } finally {
      closeSync(full);
    }
  };

  it('is an error with its own code, and no defect of the program', () => {
    const { status, stderr } = run(['ignore', 'full', 'pipe'], 'completion', 'bash');
    const said = 'error: The output cannot be written (ENOSPC). What was written is incomplete.\n';
    assert.deepEqual([status, stderr], [7, said]);
    assert.equal(run(['ignore', 'pipe', 'full'], 'nonsense').status, 7);
  });
});
