import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { deploymentFiles } from '@almanac/operator';
import { z } from 'zod';
import { readText } from './repository.js';

const packageScripts = z.object({ scripts: z.record(z.string(), z.string()) });

/** Runs a script of package.json as npm does. Its programs only record their calls, which are returned in order. */
const callsOf = async (script: string): Promise<readonly string[]> => {
  const { scripts } = packageScripts.parse(JSON.parse(await readText('package.json')));
  const dir = await mkdtemp(join(tmpdir(), 'almanac-script-'));
  try {
    for (const program of ['tsc', 'node']) {
      await writeFile(join(dir, program), '#!/bin/sh\necho "${0##*/} $*" >> calls\n', { mode: 0o755 });
    }
    await promisify(execFile)('/bin/sh', ['-c', scripts[script] ?? 'exit 1'], { cwd: dir, env: { PATH: dir } });
    return (await readFile(join(dir, 'calls'), 'utf8')).trimEnd().split('\n');
  } finally {
    await rm(dir, { recursive: true });
  }
};

describe('the generated deployment files', () => {
  for (const [path, made] of deploymentFiles()) {
    it(`${path} is what npm run deploy:make writes`, async () => {
      assert.equal(await readText(path), made, 'run npm run deploy:make and commit what it wrote');
    });
  }

  it('are written after the sources are compiled', async () => {
    const [build = '', write = '', ...more] = await callsOf('deploy:make');
    assert.deepEqual([build, more], ['tsc -b operator', []]);
    assert.match(write, /^node .*operator\/dist\/deployment\/make\.js$/);
  });
});
