import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cartResponse, checkoutResponse, marketsResponse } from '@almanac/contracts';
import { startSystem, storeGeneratedArchive, type System } from '@almanac/operator';
import { eventually, testServers } from '@almanac/testing';
import { almanac, runProgram } from './almanac-command.js';
import { type ApiClient, apiClient, post } from './api.js';
import { readyExport, showExport } from './exports.js';
import { type SystemHarness, startHarness } from './harness.js';
import { holdProofs } from './held-proofs.js';
import { answersFor, catalogue, exportsMarket } from './whole-catalogue.js';

/** Read by the system and by its commands. */
process.env['NATS_PARTITIONS'] = '4';
process.env['WEBHOOK_ALLOWED_NETWORKS'] = '127.0.0.0/8';

const email = 'ada@example.com';

describe('a system with four partitions of EVT_CATALOG and EVT_ARCHIVE', { timeout: 580_000 }, () => {
  let running: SystemHarness;
  let restored: System | undefined;
  let folder = '';
  let api: ApiClient;
  let all: string[];
  let ticker = '';
  let exportId = '';
  let proofs: Awaited<ReturnType<typeof holdProofs>>;
  let answers: { snapshots: string; file: string; events: string; plan: string };
  const backups = (): string => join(folder, 'backups');
  const backup = (): string => join(backups(), 'backup');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-backup-'));
    running = await startHarness();
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const created = await almanac(running.home, 'account', 'create', '--email', email);
    api = apiClient(running.system.baseUrls[0], created.stdout.trimEnd().split('\n').at(-1) ?? '');
    const listed = await api.json(marketsResponse, '/markets?status=finalized&limit=100');
    const [market] = listed.markets;
    ({ ticker } = market ?? assert.fail('no market'));
    // On the free plan the export takes the account's one credit. Another event is bought.
    exportId = (await readyExport(api, { ticker })).id;
    const other = listed.markets.find(({ event_ticker }) => event_ticker !== market?.event_ticker);
    await api.json(cartResponse, '/cart/event-exports', post({ event: other?.event_ticker }));
    await api.json(checkoutResponse, '/cart/checkout', post());
    proofs = await holdProofs(running.system.baseUrls[0], api, ticker);
  });
  after(async () => {
    proofs.stop();
    await restored?.stop();
    await running.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  /** Answers that must be the same in the copied and in the restored system. */
  const readAnswers = async (system: System, home: string): Promise<typeof answers> => {
    const client = apiClient(system.baseUrls[0], api.key);
    const bytes = async (path: string): Promise<Buffer> => {
      const answer = await client.send(path);
      assert.equal(answer.status, 200, `${path}: ${answer.bytes.toString()}`);
      return answer.bytes;
    };
    const { status, sha256 } = await showExport(client, exportId);
    assert.equal(status, 'ready');
    const file = createHash('sha256')
      .update(await bytes(`/exports/${exportId}/file`))
      .digest('hex');
    assert.equal(file, sha256);
    const events = await almanac(home, 'events', email);
    assert.deepEqual([events.code, events.stderr], [0, '']);
    const snapshots = (await bytes(`/markets/${ticker}/snapshots?limit=500`)).toString();
    return { snapshots, file, events: events.stdout, plan: (await bytes('/plan')).toString() };
  };
  const reportsNoProblem = (home: string): Promise<void> =>
    eventually(async () => assert.equal((await almanac(home, 'doctor')).stdout, 'No problems found.\n'));

  it('lists, finds and exports every market, and reports no problem', async () => {
    all = await catalogue(api);
    assert.ok(all.length > 20 && new Set(all).size === all.length, String(all.length));
    await answersFor(api, all);
    await reportsNoProblem(running.home);
  });

  it('has the same markets after a kill of nats-server, a restart of catalog and a rebuild', async () => {
    const nats = running.system.infrastructure.servers.find(({ name }) => name === 'nats-server');
    process.kill(nats?.process.pid ?? assert.fail('no nats-server'), 'SIGKILL');
    await running.system.replace('catalog');
    await eventually(async () => assert.deepEqual(await catalogue(api), all));
    const { stdout } = await runProgram('rebuild', ['catalogue'], { home: running.home });
    assert.match(stdout, /Rebuilt the catalogue from [\d,]+ events/);
    assert.deepEqual(await catalogue(api), all);
  });

  it('is backed up completely while it runs', async () => {
    answers = await eventually(async () => {
      const now = await readAnswers(running.system, running.home);
      assert.match(now.events, /bought/);
      return now;
    });
    const { code, stdout, stderr } = await almanac(running.home, 'backup', '--to', backup());
    assert.deepEqual([code, stderr], [0, '']);
    for (const name of ['00', '01', '02', '03'])
      for (const stream of ['EVT_CATALOG', 'EVT_ARCHIVE'])
        assert.match(stdout, new RegExp(`^${stream}_${name}: \\d+ messages up to \\d+, `, 'm'));
    assert.match(stdout, /^DEAD: 0 messages/m);
    assert.match(
      stdout,
      /^ClickHouse: \d+ tables, [\d,]+ rows, .*\nBucket: 1 object, .*\nA backup has no secrets\. Keep \S+secrets\.json in another place: .*\nThe backup in \S+ is complete/m,
    );
  });

  it('is backed up incrementally, verified by a trial restore, and the full backup expires', async () => {
    await rename(backup(), join(folder, 'backups', 'full'));
    const { code, stdout, stderr } = await almanac(running.home, 'backup', '--to', backup(), '--type', 'incr');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Incremental to \S+full\n/);
    assert.match(stdout, /^ClickHouse: .*, [\d.]+ MB shared\nBucket: 1 object, .* shared$/m);
    const metrics = join(folder, 'almanac.prom');
    const verified = await almanac(running.home, 'backup', 'verify', '--from', backups(), '--metrics', metrics);
    assert.deepEqual([verified.code, verified.stderr], [0, '']);
    assert.match(
      verified.stdout,
      /\nThe backup of \S+ \S+ UTC in \S+backup was restored and compared in [\d.]+ s\.\n$/,
    );
    assert.match(await readFile(metrics, 'utf8'), /^almanac_backup_verified_timestamp_seconds \d+/m);
    const listed = await almanac(running.home, 'backup', 'expire', '--from', backups(), '--keep-last', '1');
    assert.match(listed.stdout, /^Would remove \S+full\n1 backup stays\. Add --yes to remove the others\.\n$/);
    await almanac(running.home, 'backup', 'expire', '--from', backups(), '--keep-last', '1', '--yes');
    const tooEarly = ['--from', backups(), '--at', '2026-01-01T00:00:00Z'];
    assert.match((await almanac(join(folder, 'at'), 'restore', ...tooEarly)).stderr, /^No backup ended by then\. /);
    assert.deepEqual(await readdir(backups()), ['backup']);
  });

  it('is not restored with another number of partitions, nor from a damaged manifest, which leaves no data', async () => {
    const home = join(folder, 'refused');
    const manifest = join(backup(), 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    const restore = ['restore', '--from', backup()];
    const other = await runProgram('almanac', [...restore, '--yes'], {
      home: join(folder, 'other'),
      NATS_PARTITIONS: '',
    });
    assert.equal(other.code, 1);
    assert.match(other.stderr, /The backup has 4 partitions of EVT_ARCHIVE\. Set NATS_PARTITIONS=4\./);
    await writeFile(manifest, text.replace('"messages": ', '"messages": 1'));
    const { code, stdout, stderr } = await almanac(home, ...restore);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^This backup is damaged and was not restored: manifest\.json does not match [^\n]+\n$/);
    await writeFile(manifest, text);
    assert.ok(!existsSync(home));
  });

  it('is not restored without the secret of its webhooks, unless the operator gives it up', async () => {
    const { code, stderr } = await almanac(join(folder, 'without'), 'restore', '--from', backup());
    assert.equal(code, 1);
    assert.match(stderr, /The secrets of 1 webhook are derived from a WEBHOOK_SECRET that is not here/);
    assert.match(
      stderr,
      /disabled until their owners rotate the secrets\. Copy secrets\.json of that system to \S+without,/,
    );
    assert.match(stderr, / If it is lost, add --yes\.\n$/);
    assert.ok(!existsSync(join(folder, 'without')));
  });

  it('is restored with its keys, observations, exports with their files, and purchases', async () => {
    const home = join(folder, 'restored');
    await proofs.check(running.system.baseUrls[0]);
    await mkdir(home);
    await copyFile(join(running.home, 'secrets.json'), join(home, 'secrets.json'));
    const { code, stdout, stderr } = await almanac(home, 'restore', '--from', backup());
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /\nRestored\. Start the services\.\n$/);
    await running.system.stop();
    restored = await startSystem({ home, port: 0, print: () => undefined, servers: await testServers() });
    assert.deepEqual(await readAnswers(restored, home), answers);
    await proofs.check(restored.baseUrls[0]);
    const client = apiClient(restored.baseUrls[0], api.key);
    assert.deepEqual(await catalogue(client), all);
    await answersFor(client, all);
    // It accepts new exports too.
    await exportsMarket(client);
    await reportsNoProblem(home);
  });

  it('uses only rights that it has', async () => {
    const logs = join(running.home, 'logs');
    for (const name of (await readdir(logs)).filter((file) => file.endsWith('.log'))) {
      assert.doesNotMatch(await readFile(join(logs, name), 'utf8'), /permissions violation/i, name);
    }
  });
});
