import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { storeGeneratedArchive } from '@almanac/system';
import { startHarness } from '@almanac/test-e2e';
import { type PythonOutcome, runPytest, runPython } from './python.js';

/** Runs all tests of the Python client against a system of their own. */
const pytestOutcomes = async (): Promise<readonly PythonOutcome[]> => {
  const running = await startHarness();
  const folder = await mkdtemp(join(tmpdir(), 'almanac-python-'));
  try {
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    return await runPytest(join(folder, 'report.jsonl'), {
      ALMANAC_BASE_URL: running.system.baseUrls[0],
      ALMANAC_API_KEY: await running.key('full_book'),
      ALMANAC_TEST_FREE_KEY: await running.key('free'),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
    await running.stop();
  }
};

describe('the Python client', async () => {
  it('has types that mypy accepts in strict mode', async () => {
    const { code, output } = await runPython(['-m', 'mypy', '--cache-dir=/dev/null']);
    assert.equal(code, 0, output);
  });

  for (const { name, outcome, text } of await pytestOutcomes()) {
    it(name, { skip: outcome === 'skipped' ? text : false }, () => assert.equal(outcome, 'passed', text));
  }
});
