import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { ClientsSystem } from '../clients-system.js';
import { runPython } from './python.js';

/** One test of pytest, in a line of the report that conftest.py writes. */
const outcome = z.object({ name: z.string(), outcome: z.enum(['passed', 'failed', 'skipped']), text: z.string() });

/** Runs tests of the Python client against the system. Each is a test here, so that it is counted. */
export const describePytest = (name: string, args: readonly string[], clients: () => ClientsSystem): void => {
  describe(name, () => {
    it('passes its tests', async (suite) => {
      for (const { name: test, outcome: end, text } of await runPytest(args, clients())) {
        await suite.test(test, { skip: end === 'skipped' ? text : false }, () => assert.equal(end, 'passed', text));
      }
    });
  });
};

const runPytest = async (args: readonly string[], clients: ClientsSystem) => {
  const report = join(await clients.makeFolder(), 'report.jsonl');
  const { code, output, errors } = await runPython(['-m', 'pytest', '-q', ...args], {
    ALMANAC_BASE_URL: clients.baseUrl,
    ALMANAC_API_KEY: await clients.key('full_book'),
    ALMANAC_TEST_REPORT: report,
  });
  const end = `pytest ended with ${code}:\n${(output + errors).slice(-4_000)}`;
  // 1 means that tests failed, which the report shows. Other codes mean that pytest itself failed.
  assert.ok(code === 0 || code === 1, end);
  const outcomes = (await readFile(report, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => outcome.parse(JSON.parse(line)));
  assert.equal(
    code === 1,
    outcomes.some((each) => each.outcome === 'failed'),
    end,
  );
  return outcomes;
};
