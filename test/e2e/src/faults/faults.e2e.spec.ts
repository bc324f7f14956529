import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { marketsResponse, previewResponse, processNames, snapshotsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { almanac } from '../almanac-command.js';
import { type ApiClient, post } from '../api.js';
import { deadLetters, readStoredAccounts } from '../chaos/stored-state.js';
import { createExport, endedExport, readyExport, showExport } from '../exports.js';
import { type SystemHarness, startHarness } from '../harness.js';
import { type ReconfigurableServers, reconfigurableServers } from './reconfigurable-servers.js';
import { isRefused, usedServers, type Walk, walkThrough } from './stores.js';

/** Another test may use both cores. */
const recovery = { timeoutMs: 120_000 };

/** One small version of each fault. The chaos tests, and those of the full run, repeat them at random and at size. */
describe('a system with faults', { timeout: 580_000 }, () => {
  let running: SystemHarness;
  let servers: ReconfigurableServers;
  let api: ApiClient;
  let tickers: string[] = [];
  let walk: Walk;
  const exported: string[] = [];

  before(async () => {
    // nats-server 2.9 would lose sight of streams whose limits exceed its own.
    process.env['NATS_STORAGE_GB'] = '';
    servers = reconfigurableServers();
    running = await startHarness({ servers: servers.starters });
    api = await running.client('internal');
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=20');
    tickers = markets.map(({ ticker }) => ticker);
    assert.ok(tickers.length > processNames.length);
    const first = await readyExport(api, { ticker: tickers.at(-1), format: 'jsonl.gz' });
    exported.push(first.id);
    walk = walkThrough(running.system, api, { tickers, exported: first.id });
  });
  after(async () => {
    await running.stop();
    await servers.close();
  });

  const kill = (pid: number | undefined): boolean => process.kill(pid ?? assert.fail('it does not run'), 'SIGKILL');
  const pidOf = (service: string): number | undefined => running.system.services.get(service)?.pid;

  for (const [index, service] of processNames.entries()) {
    it(`serves everything after a kill -9 of ${service}, and an export from before it becomes ready`, async () => {
      const ticker = tickers[index] ?? '';
      const pid = pidOf(service);
      const { id } = await createExport(api, { ticker, format: 'csv' });
      exported.push(id);
      kill(pid);
      // A request meanwhile may get 503 or a broken connection.
      await eventually(() => api.json(snapshotsResponse, `/markets/${ticker}/snapshots?limit=5`), recovery);
      await eventually(async () => {
        const { pending } = await api.json(previewResponse, `/markets/${ticker}/preview`);
        assert.equal(pending, false);
      }, recovery);
      await eventually(() => assert.ok(![undefined, pid].includes(pidOf(service))), recovery);
      await eventually(async () => assert.equal((await showExport(api, id)).status, 'ready'), recovery);
    });
  }

  it('serves again after everything was killed at once', async () => {
    for (const { process: server } of running.system.infrastructure.servers) kill(server.pid);
    for (const service of processNames) kill(pidOf(service));
    await eventually(async () => assert.equal((await api.send('/plan')).status, 200), recovery);
    await walk.isWell();
    await eventually(async () => {
      const { id } = await createExport(api, { ticker: tickers[processNames.length], format: 'csv' });
      exported.push(id);
    }, recovery);
    assert.equal((await endedExport(api, exported.at(-1) ?? '')).status, 'ready');
  });

  it('has made each export once, without a dead letter', async () => {
    const [account] = [...(await readStoredAccounts(running.system)).values()];
    const made = new Map(account?.exports.map(({ state, types }) => [state.id, types]));
    for (const id of exported) assert.deepEqual(made.get(id), ['ExportRequested', 'ExportReady'], id);
    assert.equal(await deadLetters(running.system), 0);
  });

  it('answers 503 with Retry-After while all servers refuse its passwords, names each, and recovers', async () => {
    for (const { name } of usedServers) await servers.kill(name);
    assert.ok((await walk.walk()) > 0);
    const startAll = (change: 'none' | 'other passwords') =>
      Promise.all(usedServers.map(({ name }) => eventually(() => servers.startAgain(name, change), recovery)));
    await startAll('other passwords');
    for (const used of usedServers) await isRefused(running.system, used);
    assert.ok((await walk.walk()) > 0);
    for (const { name } of usedServers) await servers.kill(name);
    await startAll('none');
    await walk.isWell();
    await assertLogged();
  });

  /** The log names each check that failed, and has no password. */
  const assertLogged = async (): Promise<void> => {
    const folder = join(running.home, 'logs');
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
    const log = texts.join('\n');
    for (const { check } of usedServers) assert.ok(log.includes(`"check":"${check}"`), check);
    const { nats, clickhouse, redis, s3, s3Slabs, s3Root } = running.system.secrets;
    const passwords = [nats, clickhouse, redis].flatMap((all) => Object.values(all));
    for (const secret of [...passwords, ...[s3, s3Slabs, s3Root].map((user) => user.secretAccessKey)])
      assert.ok(!log.includes(secret));
  };

  it('reads, refuses changes with the reason, and recovers when JetStream has no storage left', async () => {
    const change = (): ReturnType<ApiClient['send']> => api.send('/keys', post({ name: 'one more' }));
    await servers.kill('nats');
    await servers.startAgain('nats', 'no storage');
    const refusal = z.object({ code: z.literal('unavailable'), detail: z.string().regex(/full|space/) });
    await eventually(async () => {
      assert.equal((await api.send(`/markets/${tickers[0]}/snapshots?limit=7`)).status, 200);
      const { status, bytes } = await change();
      assert.equal(status, 503, bytes.toString());
      refusal.parse(JSON.parse(bytes.toString()));
    }, recovery);
    await eventually(async () =>
      assert.match((await almanac(running.home, 'doctor')).stdout, /JetStream is full, so nothing can be changed/),
    );
    await servers.kill('nats');
    await servers.startAgain('nats', 'none');
    await eventually(async () => assert.equal((await change()).status, 200), recovery);
    await walk.isWell();
  });
});
