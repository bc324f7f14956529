import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import { marketsResponse, previewResponse } from '@almanac/contracts';
import { serviceProcesses } from '@almanac/system';
import { apiClient, poll } from './api.js';
import { npmStart } from './npm-start.js';

const run = promisify(execFile);

/** The generated recording is complete from the open of each market to its close, or to the start of the system. */
const checkCoverage = async (home: string): Promise<void> => {
  const { API = '', KEY = '' } = parseEnv(await readFile(join(home, 'demo.env'), 'utf8'));
  const api = apiClient(new URL(API).origin, KEY);
  const previewOf = async (query: string) => {
    const { markets } = await api.json(marketsResponse, `/markets?${query}&limit=1`);
    const [{ ticker } = assert.fail(query)] = markets;
    const preview = () => api.json(previewResponse, `/markets/${ticker}/preview`);
    return poll(preview, ({ pending, coverage }) => !pending && coverage.covered_s !== null, { timeoutMs: 30_000 });
  };
  const lengths = { GENBTC15M: 900, GENBTCH: 3_600 };
  for (const [series, lengthS] of Object.entries(lengths)) {
    const { coverage } = await previewOf(`series=${series}&status=finalized`);
    const { covered_s, covered_share, books_covered_s, gaps, gap_s } = coverage;
    assert.deepEqual([covered_s, covered_share, gaps, gap_s], [lengthS, 1, [], 0]);
    assert.equal(books_covered_s, series === 'GENBTC15M' ? lengthS : null);
  }
  const { coverage, market } = await previewOf('series=GENRATE&status=live');
  const { covered_s, covered_share, gaps } = coverage;
  const recordedUntil = (market?.open_ts ?? 0) + (covered_s ?? 0);
  assert.ok(recordedUntil >= (coverage.last_print_ts ?? Infinity), 'the recording includes the last observation');
  assert.ok(covered_share !== null && covered_share > 0.99 && covered_share <= 1, String(covered_share));
  assert.deepEqual(gaps, [{ start_ts: recordedUntil, end_ts: null, reason: 'the recording ended', missing: 'all' }]);
};

describe('npm start', () => {
  let home = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-start-'));
  });
  after(() => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  it('starts with a generated archive, and the lines that it prints to begin with work', async () => {
    const system = npmStart(home, 0);
    try {
      await system.untilReady();
      assert.ok(system.output().includes('generated markets'), system.output());
      const printed = system.output().split('\n');
      const lines = printed.filter((line) => /^ {2}(?:\. |curl )/.test(line));
      assert.equal(lines.length, 2, system.output());
      const { stdout } = await run('bash', ['--norc', '-e', '-c', lines.join('\n')], { timeout: 120_000 });
      assert.match(stdout, /^\{"count":3,"series":\[\{"id":"GENRATE"/);
      const [, logs = ''] = /^Logs +(\S+) /m.exec(system.output()) ?? [];
      assert.equal((await readdir(logs)).length, serviceProcesses.length, logs);
      const provisioning =
        printed
          .find((line) => line.includes('provision.log'))
          ?.trim()
          .split(' ')[0] ?? '';
      assert.match(await readFile(provisioning, 'utf8'), /tsc -b/);
      await checkCoverage(home);
    } finally {
      system.kill('SIGINT');
    }
    assert.equal(await system.gone(), 0, system.output());
  });

  it('starts again after a kill -9, with the same key and archive', async () => {
    const first = npmStart(home, 0);
    await first.untilReady();
    const key = await readFile(join(home, 'demo-key'), 'utf8');
    first.kill('SIGKILL');
    await first.gone();
    const second = npmStart(home, 0);
    await second.untilReady();
    assert.ok(second.output().includes('Ctrl-C stops everything'), second.output());
    assert.ok(!second.output().includes('generated markets'), 'the archive was there already');
    assert.equal(await readFile(join(home, 'demo-key'), 'utf8'), key);
    second.kill('SIGTERM');
    assert.equal(await second.gone(), 0, second.output());
  });

  it('reports a taken port in one sentence', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const system = npmStart(home, port);
      assert.equal(await system.gone(), 1);
      const [last = ''] = system.output().trimEnd().split('\n').slice(-1);
      assert.match(system.output(), new RegExp(`[Pp]ort ${port}`), last);
      assert.ok(!/\n\s+at .*\(.*:\d+:\d+\)/.test(system.output()), `a stack trace:\n${system.output()}`);
    } finally {
      squatter.close();
    }
  });
});
