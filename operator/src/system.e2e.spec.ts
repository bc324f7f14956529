import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processNames } from '@almanac/contracts';
import { LocalServerError } from '@almanac/local-servers';
import { parseApiKey } from '@almanac/runtime';
import { eventually, killableServers, type KillableServers } from '@almanac/testing';
import { z } from 'zod';
import { startSystem, type System } from './system.js';

/** Runs an operator command on a home folder. */
const run = (
  program: string,
  home: string,
  args: readonly string[],
): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, ALMANAC_HOME: home, NATS_URL: '', CLICKHOUSE_URL: '' };
    const path = fileURLToPath(new URL(program, import.meta.url));
    execFile(process.execPath, [path, ...args], { env, timeout: 120_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

const almanac = (home: string, ...args: string[]) => run('almanac.js', home, args);
const rebuild = (home: string, ...args: string[]) => run('rebuild.js', home, args);

describe('a local system', () => {
  let home = '';
  let system: System | undefined;
  let servers: KillableServers;
  const output: string[] = [];
  const start = async () => {
    servers = await killableServers();
    system = await startSystem({ home, port: 0, print: (line) => output.push(line), servers: servers.starters });
    return system;
  };
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-system-'));
  });
  after(async () => {
    await system?.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('whose port is taken starts nothing, says so in one sentence, and frees its home folder', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const attempt = startSystem({ home, port, print: (line) => assert.fail(line) });
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof LocalServerError);
      assert.equal(
        error.message,
        `Port ${port} is already in use. Stop the program that uses it, or set PORT to another port.`,
      );
      return true;
    });
    squatter.close();
    assert.deepEqual(await readdir(home), []);
  });

  it('that does not run is reported by the command line in one sentence', async () => {
    const { code, stdout, stderr } = await almanac(home, 'account', 'create');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^No running system found: \S+operator\.env is missing\. Start the system with npm start.*\n$/,
    );
  });

  it('opens accounts from the command line and prints the key alone on its last line', async () => {
    const { baseUrls } = await start();
    const { code, stdout, stderr } = await almanac(home, 'account', 'create', '--plan', 'pro');
    assert.deepEqual([code, stderr], [0, '']);
    const key = stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.ok(parseApiKey(key), stdout);
    const answer = await fetch(`${baseUrls[0]}/api/v1/plan`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"id":"pro"/);
  });

  it('rebuilds a read model from the command line, and lists the read models without a name', async () => {
    const listed = await rebuild(home);
    assert.deepEqual([listed.code, listed.stderr], [0, '']);
    assert.match(listed.stdout, /^ {2}catalogue {2,}series, events, markets/m);
    const unknown = await rebuild(home, 'nothing');
    assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
    assert.match(unknown.stderr, /^Unknown read model "nothing"\.\n/);
    const { code, stdout } = await rebuild(home, 'catalogue');
    assert.deepEqual([code, stdout.replace(/[\d.]+ s/, 'N s')], [0, 'Rebuilt the catalogue from 0 events in N s.\n']);
    const list = await rebuild(home, 'exports');
    const from = 'Rebuilt the list of exports from 0 events in N s.\n';
    assert.deepEqual([list.code, list.stdout.replace(/[\d.]+ s/, 'N s')], [0, from]);
  });

  it('shows on the command line its services, backlog and throughput, and no faults', async () => {
    // A process may still be reading its stream, and report that.
    await eventually(async () => {
      const { code, stdout, stderr } = await almanac(home, 'doctor');
      assert.deepEqual([code, stdout, stderr], [0, 'No problems found.\n', '']);
    });
    const shown = await almanac(home, 'status');
    assert.deepEqual([shown.code, shown.stderr], [0, '']);
    for (const service of processNames) {
      assert.match(shown.stdout, new RegExp(`^${service} +\\S+/\\d+ +\\d+\\.\\d+\\.\\d+ +\\d+ min +ready$`, 'm'));
    }
    for (const consumer of ['catalog-read-model', 'commerce-exports', 'export-workers']) {
      assert.match(shown.stdout, new RegExp(`^${consumer} +0 +0 +\\d+\\.\\d$`, 'm'));
    }
    assert.match(shown.stdout, /^Exports +0 waiting, 0 running, 0\.0\/s ready$/m);
    const json = await almanac(home, 'status', '--json');
    const statusLine = z.object({
      nats_server: z.string(),
      processes: z.array(z.object({ service: z.string(), ready: z.boolean() })),
      requests: z.object({ per_s: z.number(), running: z.int() }),
      consumers: z.array(z.object({ consumer: z.string(), waiting: z.int(), done_per_s: z.number() })).min(3),
    });
    assert.deepEqual(
      statusLine.parse(JSON.parse(json.stdout)).processes,
      processNames.toSorted().map((service) => ({
        service,
        ready: true,
      })),
    );
  });

  it('with missing services and servers gets a doctor report with a remedy for each fault and exit code 1', async () => {
    const running = system ?? assert.fail('it does not run');
    await running.kill('timeseries');
    await rm(join(home, 's3', 'data', 'almanac'), { recursive: true });
    await Promise.all([servers.kill('clickhouse'), servers.kill('redis')]);
    // A cached check result notices the change last.
    await eventually(async () => {
      const { code, stdout, stderr } = await almanac(home, 'doctor');
      assert.equal(code, 1);
      assert.match(stderr, /^\d problems found\.\n$/);
      const faults = [
        /^No process of timeseries answers\.\n {2}Start it, .*$/m,
        /^keys \(\S+\): redis: .*\n {2}Start Redis\. .*$/m,
        /^catalog \(\S+\): clickhouse: .*\n {2}Start ClickHouse, .*$/m,
        /^export \(\S+\): object_store: .*\n {2}Start the object store, .*$/m,
      ];
      for (const fault of faults) assert.match(stdout, fault);
    });
  });

  it('can be stopped twice', async () => {
    const running = system ?? assert.fail('it does not run');
    await running.stop();
    await running.stop();
  });

  it('that was stopped is reported by the command line in one sentence', async () => {
    const { code, stderr } = await almanac(home, 'account', 'create');
    assert.equal(code, 1);
    assert.match(stderr, /^The system at \S+ does not respond \(.+\)\. Start it with npm start\.\n$/);
  });
});
