import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cartResponse, checkoutResponse, exportResponse, marketsResponse } from '@almanac/contracts';
import { startSystem, storeGeneratedArchive, type System } from '@almanac/system';
import { eventually, testServers } from '@almanac/testing';
import { apiClient, type ApiClient, poll } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

const program = fileURLToPath(new URL('../../../deploy/system/dist/almanac.js', import.meta.url));

/** Runs `npm run almanac` on a home folder. */
const almanac = (home: string, ...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, ALMANAC_HOME: home, NATS_URL: '', CLICKHOUSE_URL: '' };
    execFile(process.execPath, [program, ...args], { env, timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

const post = (body: object = {}) => ({ method: 'POST', body: JSON.stringify(body) });

describe('a backup', () => {
  let running: SystemHarness;
  let restored: System | undefined;
  let folder = '';
  let key = '';
  let ticker = '';
  let exportId = '';
  let answers: { snapshots: string; file: string; events: string; plan: string };
  const backup = (): string => join(folder, 'backup');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-backup-'));
    running = await startHarness();
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const created = await almanac(running.home, 'account', 'create', '--email', 'ada@example.com');
    key = created.stdout.trimEnd().split('\n').at(-1) ?? '';
    const api = apiClient(running.system.baseUrls[0], key);
    const listed = await api.json(marketsResponse, '/markets?status=finalized&limit=100');
    const [market] = listed.markets;
    ({ ticker } = market ?? assert.fail('no market'));
    // On the free plan the export takes the account's one credit. Another event is bought.
    exportId = await readyExport(api);
    const other = listed.markets.find(({ event_ticker }) => event_ticker !== market?.event_ticker);
    await api.json(cartResponse, '/cart/event-exports', post({ event: other?.event_ticker }));
    await api.json(checkoutResponse, '/cart/checkout', post());
    answers = await eventually(async () => {
      const now = await readAnswers(running.system, running.home);
      assert.match(now.events, /bought/);
      return now;
    });
  });
  after(async () => {
    await restored?.stop();
    await running.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  const readyExport = async (api: ApiClient): Promise<string> => {
    const { id } = await api.json(exportResponse, '/exports', post({ ticker }));
    const ended = await poll(
      () => api.json(exportResponse, `/exports/${id}`),
      ({ status }) => status !== 'pending',
    );
    assert.equal(ended.status, 'ready');
    return id;
  };

  /** Answers that must be the same in the copied and in the restored system. */
  const readAnswers = async (system: System, home: string): Promise<typeof answers> => {
    const api = apiClient(system.baseUrls[0], key);
    const bytes = async (path: string): Promise<Buffer> => {
      const answer = await api.send(path);
      assert.equal(answer.status, 200, `${path}: ${answer.bytes.toString()}`);
      return answer.bytes;
    };
    const { status, sha256 } = await api.json(exportResponse, `/exports/${exportId}`);
    assert.equal(status, 'ready');
    const file = createHash('sha256')
      .update(await bytes(`/exports/${exportId}/file`))
      .digest('hex');
    assert.equal(file, sha256);
    const events = await almanac(home, 'events', 'ada@example.com');
    assert.deepEqual([events.code, events.stderr], [0, '']);
    const snapshots = (await bytes(`/markets/${ticker}/snapshots?limit=500`)).toString();
    return { snapshots, file, events: events.stdout, plan: (await bytes('/plan')).toString() };
  };

  it('of a running system is complete', async () => {
    const { code, stdout, stderr } = await almanac(running.home, 'backup', '--to', backup());
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^EVT_CATALOG: \d+ messages up to \d+, .*\nDEAD: 0 messages/m);
    assert.match(
      stdout,
      /^ClickHouse: \d+ tables, [\d,]+ rows, .*\nBucket: 1 object, .*\nThe backup in \S+ is complete/m,
    );
  });

  it('with a damaged manifest is refused in a sentence, and leaves no data', async () => {
    const home = join(folder, 'refused');
    const manifest = join(backup(), 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('"messages": ', '"messages": 1'));
    const { code, stdout, stderr } = await almanac(home, 'restore', '--from', backup());
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^This backup is damaged and was not restored: manifest\.json does not match [^\n]+\n$/);
    assert.ok(!existsSync(home));
    await writeFile(manifest, text);
  });

  it('restores the same system: keys, observations, exports with their files, and purchases', async () => {
    const home = join(folder, 'restored');
    const { code, stdout, stderr } = await almanac(home, 'restore', '--from', backup());
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /\nRestored\. Start the services\.\n$/);
    restored = await startSystem({ home, port: 0, print: () => undefined, servers: await testServers() });
    assert.deepEqual(await readAnswers(restored, home), answers);
    // The restored system also accepts new exports.
    await readyExport(apiClient(restored.baseUrls[0], key));
    await eventually(async () => {
      const { stdout: output } = await almanac(home, 'doctor');
      assert.equal(output, 'No problems found.\n');
    });
  });
});
