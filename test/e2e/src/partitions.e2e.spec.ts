import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSystem, storeGeneratedArchive, type System } from '@almanac/system';
import { eventually, testServers } from '@almanac/testing';
import { type ApiClient, apiClient } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';
import { answersFor, catalogue, exportsMarket } from './whole-catalogue.js';

/** Read by the system and by its commands. */
process.env['NATS_PARTITIONS'] = '4';

const folderOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const run = (home: string, variables: object, args: readonly string[]): Promise<{ code: unknown; output: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, ALMANAC_HOME: home, NATS_URL: '', CLICKHOUSE_URL: '', ...variables };
    execFile(process.execPath, [...args], { env, timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
const almanac = (home: string, ...args: string[]) =>
  run(home, {}, [folderOf('deploy/system/dist/almanac.js'), ...args]);

describe('a system with four partitions of EVT_CATALOG and EVT_ARCHIVE', () => {
  let running: SystemHarness;
  let restored: System | undefined;
  let api: ApiClient;
  let key = '';
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-partitions-'));
    running = await startHarness();
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    key = await running.key('internal');
    api = apiClient(running.system.baseUrls[0], key);
  });
  after(async () => {
    await restored?.stop();
    await running.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('lists, finds and exports every market, and reports no problem', async () => {
    const all = await catalogue(api);
    assert.ok(all.length > 20 && new Set(all).size === all.length, String(all.length));
    await answersFor(api, all);
    await exportsMarket(api);
    await eventually(async () => assert.equal((await almanac(running.home, 'doctor')).output, 'No problems found.\n'));
  });

  it('has the same markets after a kill of nats-server, a restart of catalog and a rebuild', async () => {
    const all = await catalogue(api);
    const nats = running.system.infrastructure.servers.find(({ name }) => name === 'nats-server');
    process.kill(nats?.process.pid ?? assert.fail('no nats-server'), 'SIGKILL');
    await running.system.replace('catalog');
    await eventually(async () => assert.deepEqual(await catalogue(api), all));
    const rebuilt = await run(running.home, {}, [folderOf('deploy/system/dist/rebuild.js'), 'catalogue']);
    assert.match(rebuilt.output, /Rebuilt the catalogue from [\d,]+ events/);
    assert.deepEqual(await catalogue(api), all);
    await answersFor(api, all);
  });

  it('is restored from a backup, with the same number of partitions only', async () => {
    const all = await catalogue(api);
    const backup = join(folder, 'backup');
    const made = await almanac(running.home, 'backup', '--to', backup);
    assert.equal(made.code, 0, made.output);
    for (const name of ['00', '01', '02', '03'])
      for (const stream of ['EVT_CATALOG', 'EVT_ARCHIVE'])
        assert.match(made.output, new RegExp(`^${stream}_${name}: \\d+ m`, 'm'));
    const program = folderOf('deploy/system/dist/almanac.js');
    const args = [program, 'restore', '--from', backup];
    const refused = await run(join(folder, 'refused'), { NATS_PARTITIONS: '' }, args);
    assert.match(refused.output, /The backup has 4 partitions of EVT_ARCHIVE\. Set NATS_PARTITIONS=4\./);
    assert.equal(refused.code, 1);
    const home = join(folder, 'restored');
    const done = await almanac(home, 'restore', '--from', backup);
    assert.equal(done.code, 0, done.output);
    restored = await startSystem({ home, port: 0, print: () => undefined, servers: await testServers() });
    const again = apiClient(restored.baseUrls[0], key);
    assert.deepEqual(await catalogue(again), all);
    await answersFor(again, all);
    await exportsMarket(again);
  });

  it('uses only rights that it has', async () => {
    const logs = join(running.home, 'logs');
    for (const name of (await readdir(logs)).filter((file) => file.endsWith('.log'))) {
      assert.doesNotMatch(await readFile(join(logs, name), 'utf8'), /permissions violation/i, name);
    }
  });
});
