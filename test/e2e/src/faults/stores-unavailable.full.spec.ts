// Five outages of minutes in all. `faults.e2e.spec.ts` has one of all servers at once.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { marketsResponse, processNames } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import type { ApiClient } from '../api.js';
import { readyExport } from '../exports.js';
import { type SystemHarness, startHarness } from '../harness.js';
import { type ReconfigurableServers, reconfigurableServers } from './reconfigurable-servers.js';
import { isRefused, stateOf, usedServers, type Walk, walkThrough } from './stores.js';

describe('servers that are unavailable or refuse their password', { timeout: 580_000 }, () => {
  let running: SystemHarness;
  let servers: ReconfigurableServers;
  let api: ApiClient;
  let walk: Walk;

  before(async () => {
    servers = reconfigurableServers();
    running = await startHarness({ servers: servers.starters });
    api = await running.client('internal');
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=20');
    const tickers = markets.map(({ ticker }) => ticker);
    const { id: exported } = await readyExport(api, { ticker: tickers[0], format: 'jsonl.gz' });
    walk = walkThrough(running.system, api, { tickers, exported });
  });
  after(async () => {
    await running.stop();
    await servers.close();
  });

  const restart = (name: Parameters<ReconfigurableServers['kill']>[0]): Promise<void> =>
    eventually(() => servers.startAgain(name, 'none'), { timeoutMs: 60_000 });

  for (const used of usedServers) {
    const { name, of, without } = used;
    it(`${name}: each process that uses it reports it, requests get 503 with Retry-After, and the system recovers by itself`, async () => {
      await servers.kill(name);
      await walk.walk();
      await eventually(() => servers.startAgain(name, 'other passwords'), { timeoutMs: 60_000 });
      await isRefused(running.system, used);
      for (const service of of) assert.equal((await stateOf(running.system, service)).ready, without, service);
      const refused = await walk.walk();
      assert.equal(refused === 0, without, `${refused} answers were 503`);
      await servers.kill(name);
      await restart(name);
      await walk.isWell();
    });
  }

  it('may be unavailable at the start: the gateway answers 503, and serves once they are available', async () => {
    for (const { name } of usedServers) await servers.kill(name);
    for (const service of processNames) await running.system.kill(service);
    // A start has 30 s, which may be too short on a busy machine: then it is repeated.
    const started = processNames.map((service) =>
      eventually(() => running.system.restart(service), { timeoutMs: 120_000 }),
    );
    await eventually(async () => {
      const answer = await api.send('/categories');
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
    });
    for (const { name } of usedServers) await restart(name);
    await Promise.all(started);
    await walk.isWell();
  });
});
