// In the full run: it installs schemathesis from PyPI, and sends thousands of requests for some minutes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { storeGeneratedArchive } from '@almanac/operator';
import { type SystemHarness, startHarness } from '@almanac/test-e2e';
import { pythonWith } from '@almanac/testing';

const version = '4.32.5';
/** The statuses that refuse a wrong request. It does not know those of a body or a URL that is too long. */
const config = `[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431, "5xx"]
`;
/** Of all checks, this one takes every refusal of a valid request for a fault: docs/checked-by-others.md lists the reasons. */
const withoutCheck = 'positive_data_acceptance';
/** Of valid requests, these would end the key of the run, or make the system call addresses of the public internet. */
const onlyRefused = ['revokeKey', 'createWebhook'];

describe('the document of the API, to schemathesis', { timeout: 1_800_000 }, () => {
  let running: SystemHarness;
  let folder = '';
  let program = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-schemathesis-'));
    program = join(dirname(await pythonWith(folder, [`schemathesis==${version}`])), 'schemathesis');
    await writeFile(join(folder, 'schemathesis.toml'), config);
    running = await startHarness();
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  });
  after(async () => {
    await running?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns what it found, and the number of requests. */
  const found = async (...args: readonly string[]): Promise<{ faults: string; cases: number }> => {
    const [base] = running.system.baseUrls;
    const login = ['--header', `Authorization: Bearer ${await running.key('internal')}`];
    const always = ['--checks', 'all', '--exclude-checks', withoutCheck, '--seed', '1', '--request-timeout', '60'];
    const command = ['run', `${base}/openapi.json`, '--url', base, ...login, ...always, ...args];
    const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 64 * 1_048_576 };
    const { failed, output } = await new Promise<{ failed: boolean; output: string }>((resolve) => {
      execFile(program, command, options, (error, stdout, stderr) =>
        resolve({ failed: error !== null, output: `${stdout}${stderr}` }),
      );
    });
    const cases = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
    const [, faults = ''] = /=+ FAILURES =+\n(.*?)\n=+ (?:WARNINGS|SUMMARY) /s.exec(output) ?? [];
    return { faults: failed ? faults || output.slice(-4_000) : '', cases };
  };

  it('is what the server does: any input, and sequences of calls', async (t) => {
    const without = onlyRefused.flatMap((id) => ['--exclude-operation-id', id]);
    const { faults, cases } = await found(
      ...without,
      '--max-examples',
      '15',
      '--max-time',
      '240',
      '--continue-on-failure',
    );
    assert.equal(faults, '');
    assert.ok(cases > 500, `${cases} requests`);
    t.diagnostic(`Remark: schemathesis sent ${cases} requests.`);
  });

  it('is what the server refuses, where a valid request would change too much', async () => {
    const only = onlyRefused.flatMap((id) => ['--include-operation-id', id]);
    const { faults, cases } = await found(
      ...only,
      '--phases',
      'coverage',
      '--mode',
      'negative',
      '--continue-on-failure',
    );
    assert.equal(faults, '');
    assert.ok(cases > 20, `${cases} requests`);
  });
});
