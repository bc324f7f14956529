import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { exportResponse, marketsResponse, processNames } from '@almanac/contracts';
import { connectOperator, createAccount, storeGeneratedArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { type ApiClient, apiClient } from '../api.js';
import { repository } from '../start/npm-start.js';
import { steadyLoad } from '../faults/steady-load.js';
import { composeProject, type ComposeProject } from './compose.js';

const run = promisify(execFile);
/** The newest release, or the build before this one until there is a release. */
const buildBefore = 'c9c13e03';
const up = ['up', '--detach', '--wait', '--wait-timeout', '180'];
const perSecond = 8;
const unlimited = { requestsPerMinute: null, exportsPerDay: 100_000, exportsPending: 100_000, apiKeys: null };
const created = z.object({ id: z.string() });

const versionBefore = async (): Promise<string> => {
  const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: repository })).stdout.trim();
  const released = await git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^').catch(() => buildBefore);
  // A shallow clone may have only later commits.
  return git('rev-parse', '--verify', `${released}^{commit}`).catch(() => git('rev-list', '--max-parents=0', 'HEAD'));
};

const unpack = async (commit: string, folder: string): Promise<void> => {
  await run('bash', ['-c', 'set -o pipefail; git archive "$1" | tar -x -C "$2"', 'bash', commit, folder], {
    cwd: repository,
  });
};

/** Builds the version before from git, fills it, and upgrades it as docs/upgrading.md says, under load. */
describe('an upgrade with docker compose', { timeout: 1_500_000 }, () => {
  let project: ComposeProject;
  let checkout = '';
  let api: ApiClient;
  let events: string[] = [];
  before(async () => {
    checkout = await mkdtemp(join(tmpdir(), 'almanac-before-'));
    await unpack(await versionBefore(), checkout);
    project = await composeProject({ PLAN_TERMS: JSON.stringify({ full_book: unlimited }) });
    const composeBefore = (...args: string[]): Promise<string> => project.composeIn(checkout, ...args);
    await composeBefore('build', '--quiet');
    const listedBefore = (await composeBefore('config', '--services')).split('\n');
    await composeBefore(...up, ...processNames.filter((name) => listedBefore.includes(name)));
    const bus = await connectOperator({ url: project.natsUrl, password: project.password('NATS_PASSWORD_OPERATOR') });
    const { key } = await createAccount(bus, { plan: 'full_book', keyName: 'upgrade' });
    await bus.close();
    const secrets = { nats: { ingest: project.password('NATS_PASSWORD_INGEST') } };
    await storeGeneratedArchive(
      { infrastructure: { natsUrl: project.natsUrl }, secrets },
      Math.floor(Date.now() / 1_000),
    );
    api = apiClient(project.baseUrl, key);
    await eventually(
      async () => {
        const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=200');
        events = [...new Set(markets.flatMap(({ event_ticker: event }) => event ?? []))];
        assert.ok(events.length > 3);
      },
      { timeoutMs: 120_000 },
    );
  });
  after(async () => {
    await project.remove();
    await rm(checkout, { recursive: true, force: true });
  });

  const refused = { connection: 0, unavailable: 0 };
  let lastRefusedMs = 0;
  let firstRefusedMs = 0;
  /** Repeats a request as a client does: without an answer, and after 503. Any other answer is the outcome. */
  const sendUntilAnswered = async (path: string, init: Parameters<ApiClient['send']>[1] = {}) => {
    for (const deadline = performance.now() + 240_000; ;) {
      const answer = await api.send(path, init).catch(() => undefined);
      if (answer !== undefined && answer.status !== 503) return answer;
      firstRefusedMs ||= performance.now();
      lastRefusedMs = performance.now();
      refused[answer === undefined ? 'connection' : 'unavailable'] += 1;
      if (answer !== undefined) assert.ok(Number(answer.headers.get('retry-after')) > 0, answer.bytes.toString());
      assert.ok(performance.now() < deadline, `${path} is refused for four minutes`);
      await delay(200);
    }
  };

  it('loses no request, and needs nothing by hand but the two commands of docs/upgrading.md', async (test) => {
    const keys = new Map<string, string>();
    const exports = new Set<string>();
    const request = async (n: number): Promise<string> => {
      if (n % 4 === 0) {
        const name = `key ${n}`;
        const headers = { 'idempotency-key': `upgrade-${n}` };
        const { status, bytes } = await sendUntilAnswered('/keys', {
          method: 'POST',
          body: JSON.stringify({ name }),
          headers,
        });
        if (status === 200 || status === 201) keys.set(created.parse(JSON.parse(bytes.toString())).id, name);
        return `key ${status}`;
      }
      if (n % 20 === 1) {
        const event = events[n % events.length];
        const headers = { 'idempotency-key': `upgrade-${n}` };
        const body = JSON.stringify({ event, format: 'csv' });
        const { status, bytes } = await sendUntilAnswered('/exports', { method: 'POST', body, headers });
        if (status === 200 || status === 201) exports.add(created.parse(JSON.parse(bytes.toString())).id);
        return `export ${status}`;
      }
      return `read ${(await sendUntilAnswered(`/markets?limit=${(n % 50) + 1}`)).status}`;
    };
    const load = steadyLoad(perSecond, request);
    await delay(5_000);
    await project.compose('build', '--quiet');
    await project.compose(...up, '--force-recreate', 'nats', 'redis', 'clickhouse', 's3');
    await project.compose(...up, ...processNames, 'balancer');
    await delay(5_000);
    const { sent, outcomes } = await load.stop();
    const outageS = ((lastRefusedMs - firstRefusedMs) / 1_000).toFixed(1);
    test.diagnostic(
      `${sent} requests, ${JSON.stringify(outcomes)}, refused meanwhile within ${outageS} s: ${JSON.stringify(refused)}`,
    );

    const failures = Object.keys(outcomes).filter((outcome) => !/^(read 200|key 20[01]|export 20[01])$/.test(outcome));
    assert.deepEqual(failures, [], JSON.stringify(outcomes));
    const listed = z
      .object({ keys: z.array(z.object({ id: z.string(), name: z.string() })) })
      .parse(await api.json(z.looseObject({}), '/keys'));
    const found = listed.keys.filter(({ name }) => name.startsWith('key '));
    assert.deepEqual(new Map(found.map(({ id, name }) => [id, name])), keys, 'each key once');
    for (const id of exports) {
      await eventually(async () => assert.equal((await api.json(exportResponse, `/exports/${id}`)).status, 'ready'), {
        timeoutMs: 120_000,
      });
    }
    const containers = await project.containers();
    for (const name of processNames) assert.equal(containers.get(name)?.Health, 'healthy', name);
  });
});
