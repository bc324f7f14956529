import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { composeCluster, type ComposeCluster } from '@almanac/testing';
import { z } from 'zod';
import { repository } from '../start/npm-start.js';

const wasNamed = (process.env['ALMANAC_TEST_PARTS'] ?? '').split(' ').includes('cluster');
const isStandIn = (process.env['ALMANAC_STAND_INS'] ?? '').split(' ').includes('clickhouse');
const notRun = 'ClickHouse cannot be pulled here, so the end-to-end tests did not run on a cluster of it';

/** ClickHouse would write a backup to an address of this machine, which is another one in its container. */
const leftOut = ['backup.e2e.spec.js'];

describe('a cluster of ClickHouse in containers', { timeout: 4 * 3_600_000 }, () => {
  let folder = '';
  let cluster: ComposeCluster;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-cluster-'));
    cluster = await composeCluster({ dir: folder, users: [{ user: 'operator', password: 'secret' }] });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has two shards of two replicas and three Keepers, with the hosts of its configuration', async () => {
    const service = z.object({
      hostname: z.string().optional(),
      environment: z.record(z.string(), z.string()).optional(),
    });
    const config = z.object({ services: z.record(z.string(), service) });
    const { services } = config.parse(JSON.parse(await cluster.compose('config', '--format', 'json')));
    const hosts = Object.values(services).flatMap(({ hostname }) => hostname ?? []);
    const named = async (file: string, pattern: RegExp): Promise<string[]> =>
      [...(await readFile(join(folder, file), 'utf8')).matchAll(pattern)].map(([, host = '']) => host);
    const servers = await named('cluster.xml', /<host>(clickhouse-[^<]+)/g);
    const keepers = await named('keeper.xml', /<hostname>([^<]+)/g);
    assert.deepEqual([...servers, ...keepers].toSorted(), hosts.toSorted());
    const places = servers.map((host) => {
      const { CLICKHOUSE_SHARD: shard, CLICKHOUSE_REPLICA: replica } =
        services[host.split('.')[0] ?? '']?.environment ?? {};
      return `clickhouse-${shard}-${replica}.example.com`;
    });
    assert.deepEqual(places, servers);
  });

  // It takes an hour or more, so only its name starts it.
  if (wasNamed)
    it('passes the end-to-end tests', { skip: isStandIn ? notRun : false }, async () => {
      const built = join(repository, 'test/e2e/dist');
      const files = (await readdir(built)).filter((name) => name.endsWith('.e2e.spec.js') && !leftOut.includes(name));
      assert.ok(files.length > 15);
      const env = {
        ...process.env,
        ALMANAC_TEST_CLICKHOUSE: 'cluster',
        ALMANAC_TEST_LOGS: join(repository, '.almanac/test-logs/cluster'),
      };
      const args = [join(repository, 'scripts/run-tests.mjs'), ...files.map((name) => join('test/e2e/dist', name))];
      const child = spawn(process.execPath, args, { cwd: repository, env, stdio: 'inherit' });
      const code = await new Promise((resolve) => child.once('exit', resolve));
      assert.equal(code, 0, 'the output above shows which tests failed');
    });
});
