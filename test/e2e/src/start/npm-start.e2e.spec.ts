import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import { marketsResponse, previewResponse, processNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { apiClient, poll } from '../api.js';
import { guidesSuite } from './guides-suite.js';
import { type NpmStart, npmStart, repository, startedProcesses } from './npm-start.js';
import { importsSuite, documentsSuite } from './documents-suite.js';

const run = promisify(execFile);

/** The generated recording is complete from the open of each market to its close, or to the start of the system. */
const checkCoverage = async (home: string): Promise<void> => {
  const { API = '', KEY = '' } = parseEnv(await readFile(join(home, 'demo.env'), 'utf8'));
  const api = apiClient(new URL(API).origin, KEY);
  const previewOf = async (query: string) => {
    const { markets } = await api.json(marketsResponse, `/markets?${query}&limit=1`);
    const [{ ticker } = assert.fail(query)] = markets;
    const preview = () => api.json(previewResponse, `/markets/${ticker}/preview`);
    const { coverage, market } = await poll(preview, (found) => (found.coverage?.covered_s ?? null) !== null);
    return { coverage: coverage ?? assert.fail('no coverage'), market };
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

describe('npm start', { timeout: 580_000 }, () => {
  let checkout = '';
  let home = '';
  let system: NpmStart;
  const start = async (): Promise<void> => {
    system = npmStart(home, 0);
    await system.untilReady();
    assert.ok(system.output().includes('Ctrl-C stops everything'), system.output());
  };
  before(async () => {
    // A checkout with its own `.almanac`, in which nothing else runs.
    checkout = await mkdtemp(join(tmpdir(), 'almanac-start-'));
    for (const name of await readdir(repository)) {
      if (!['.almanac', '.git'].includes(name)) await symlink(join(repository, name), join(checkout, name));
    }
    home = join(checkout, '.almanac');
    await mkdir(home);
    await start();
  });
  after(async () => {
    system.kill('SIGKILL');
    await rm(checkout, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });

  // The tour shows first answers and the first export. The imports add markets.
  documentsSuite(() => checkout);

  it('starts with a generated archive, and the lines that it prints to begin with work', async () => {
    assert.ok(system.output().includes('generated markets'), system.output());
    const printed = system.output().split('\n');
    const lines = printed.filter((line) => /^ {2}(?:\. |curl )/.test(line));
    assert.equal(lines.length, 2, system.output());
    const { stdout } = await run('bash', ['--norc', '-e', '-c', lines.join('\n')], { timeout: 120_000 });
    assert.match(stdout, /^\{"count":3,"series":\[\{"id":"GENRATE"/);
    const [, logs = ''] = /^Logs +(\S+) /m.exec(system.output()) ?? [];
    assert.equal((await readdir(logs)).length, processNames.length, logs);
    const [provisioning = ''] = (printed.find((line) => line.includes('provision.log')) ?? '').trim().split(' ');
    assert.match(await readFile(provisioning, 'utf8'), /tsc -b/);
    await checkCoverage(home);
  });

  it('has the reference at the address that it prints, in the console', async () => {
    const address = /^Reference +(\S+\/docs)$/m.exec(system.output())?.[1] ?? assert.fail(system.output());
    const response = await fetch(address);
    assert.deepEqual([response.status, new URL(response.url).pathname], [200, '/console/docs']);
  });

  guidesSuite(() => checkout);
  importsSuite(() => checkout);

  it('starts again after a kill -9 and damage to its secrets, with the same key and archive', async () => {
    const key = await readFile(join(home, 'demo-key'), 'utf8');
    system.kill('SIGKILL');
    await system.gone();
    await writeFile(join(home, 'secrets.json'), '{"nats":');
    await start();
    assert.ok(!system.output().includes('generated markets'), 'the archive was there already');
    assert.equal(await readFile(join(home, 'demo-key'), 'utf8'), key);
    await checkCoverage(home);
  });

  it('ends on Ctrl-C with all its processes while a server waits for its restart', async () => {
    const children = await startedProcesses(system.pid);
    assert.ok(children.length >= 4 + processNames.length, 'four servers and the services');
    const redis = children.find(({ command }) => command.includes('redis-server')) ?? assert.fail();
    const folder = join(home, 'redis');
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'no folder');
    process.kill(redis.pid, 'SIGKILL');
    // From the fifth failure on, the waits are longer than the stop takes.
    await eventually(() => assert.ok([...system.output().matchAll(/Restarting it/g)].length >= 5, system.output()), {
      timeoutMs: 60_000,
    });
    system.kill('SIGINT');
    assert.equal(await system.gone(), 0, system.output());
    await eventually(() => {
      for (const { pid, command } of children) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, command);
    });
  });

  it('reports a taken port in one sentence', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const refused = npmStart(home, port);
      assert.equal(await refused.gone(), 1);
      assert.match(refused.output(), new RegExp(`[Pp]ort ${port}`));
      assert.ok(!/\n\s+at .*\(.*:\d+:\d+\)/.test(refused.output()), `a stack trace:\n${refused.output()}`);
    } finally {
      squatter.close();
    }
  });
});
