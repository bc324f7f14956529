import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { storeGeneratedArchive } from '@almanac/system';
import { startHarness } from '@almanac/test-e2e';
import { type PythonOutcome, runPytest } from './python.js';

/** Runs tests of the Python client against a system of their own. Each is a test here, so that it is counted. */
export const pytestSuite = (name: string, args: readonly string[]): void => {
  describe(name, async () => {
    for (const { name: test, outcome, text } of await outcomesOf(args)) {
      it(test, { skip: outcome === 'skipped' ? text : false }, () => assert.equal(outcome, 'passed', text));
    }
  });
};

const outcomesOf = async (args: readonly string[]): Promise<readonly PythonOutcome[]> => {
  const running = await startHarness();
  const folder = await mkdtemp(join(tmpdir(), 'almanac-python-'));
  try {
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    return await runPytest(join(folder, 'report.jsonl'), args, {
      ALMANAC_BASE_URL: running.system.baseUrls[0],
      ALMANAC_API_KEY: await running.key('full_book'),
      ALMANAC_TEST_FREE_KEY: await running.key('free'),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
    await running.stop();
  }
};
