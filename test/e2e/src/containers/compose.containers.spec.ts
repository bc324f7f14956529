import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { composeProject, type ComposeProject, fillForTour, takeTour } from './compose.js';

const servers = ['balancer', 'nats', 'clickhouse', 'redis', 's3'];
const withinMs = { timeoutMs: 120_000 };

describe('the system of docker-compose.yml', { timeout: 900_000 }, () => {
  let project: ComposeProject;
  let key = '';
  before(async () => {
    project = await composeProject();
    await project.compose('--profile', 'operator', '--profile', 'ingest', 'build', '--quiet');
    await start();
    key = await fillForTour(project);
  });
  after(() => project.remove());

  /** `--wait` ends with an error if a one-time container ended, so only the others are named. */
  const start = async (): Promise<void> => {
    await project.compose('up', '--detach', '--wait', '--wait-timeout', '180', ...processNames, 'balancer');
  };

  const get = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${project.baseUrl}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(20_000),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };

  const assertHealthy = async (): Promise<void> => {
    const containers = await project.containers();
    for (const name of [...processNames, ...servers]) assert.equal(containers.get(name)?.Health, 'healthy', name);
  };

  it('is healthy, and its one-time containers have ended', async () => {
    await assertHealthy();
    const containers = await project.containers();
    for (const name of ['migrate', 'bucket']) assert.equal(containers.get(name)?.State, 'exited');
  });

  it('answers the tour as shown, with exports and links', () => takeTour(project));

  it('has the import in an image, which reads a folder', async () => {
    // The project's own folder has passwords, and is closed to the container's user.
    const folder = join(project.folder, 'files');
    await mkdir(folder);
    const file = join(folder, 'quotes.csv');
    const mapping = join(folder, 'mine.yaml');
    await writeFile(file, 'market,at,bid,ask\nMINE-1,1795173300,0.49,0.51\n');
    await writeFile(
      mapping,
      'name: mine\nformat: csv\nmatch: { columns: [market, at, bid, ask] }\nfields:\n' +
        '  ticker: { column: market }\n  ts: { column: at, unit: s }\n' +
        '  yes_best_bid: { column: bid }\n  yes_best_ask: { column: ask }\n',
    );
    const files = ['run', '--rm', '--volume', `${folder}:/files:ro`];
    const stdout = await project.compose(...files, 'ingest', '/files/quotes.csv', '--mapping', '/files/mine.yaml');
    assert.match(stdout, /stored/);
    await get('/markets/MINE-1');
  });

  it('has the command almanac in an image, which backs up into a volume', async () => {
    const almanac = (...words: string[]): Promise<string> => project.compose('run', '--rm', 'operator', ...words);
    assert.match(await almanac('status'), /gateway/);
    const output = await almanac('backup', '--to', '/backups/first');
    assert.match(output, /The backup in \/backups\/first is complete: \d+ files/);
  });

  it('rebuilds its read models from the images of the services', async () => {
    const login = ['-e', 'CLICKHOUSE_USER=migrate', '-e'];
    const password = `CLICKHOUSE_PASSWORD=${project.password('CLICKHOUSE_PASSWORD_MIGRATE')}`;
    for (const [service, line] of [
      ['catalog', /Rebuilt the catalogue from [1-9]/],
      ['export', /Rebuilt the list of exports from [1-9]/],
    ] as const) {
      const command = ['run', '--rm', ...login, password, service, 'node', 'dist/rebuild/main.js'];
      assert.match(await project.compose(...command), line);
    }
    await get('/markets/MINE-1');
  });

  it('starts a container again whose service was killed', async () => {
    for (const name of ['gateway', 'catalog', 'export']) {
      const restarts = await project.restarts(name);
      // All processes of the container but its first, which ends with them.
      await project.compose('exec', '--no-TTY', name, 'bash', '-c', 'kill -9 -1').catch(() => undefined);
      await eventually(async () => assert.equal(await project.restarts(name), restarts + 1), withinMs);
    }
    await eventually(assertHealthy, withinMs);
    await get('/markets/MINE-1');
  });

  it('starts NATS again when it hangs, and no service is lost', async () => {
    const restarts = await project.restarts('nats');
    await project.compose('exec', '--no-TTY', 'nats', 'sh', '-c', 'kill -STOP $(pidof nats-server)');
    await eventually(async () => assert.equal(await project.restarts('nats'), restarts + 1), withinMs);
    await eventually(assertHealthy, withinMs);
    await get('/markets/MINE-1');
  });

  it('limits the open files of ClickHouse by OPEN_FILES_MAX', async () => {
    const limit = await project.compose('exec', '--no-TTY', 'clickhouse', 'sh', '-c', 'ulimit -Hn; ulimit -Sn');
    assert.equal(limit, `${project.openFilesMax}\n${project.openFilesMax}\n`);
  });

  const list = z.object({
    count: z.int().min(1),
    exports: z.array(z.object({ id: z.string(), status: z.string() })),
  });

  for (const [what, end] of [
    ['kill -9 of all containers', ['kill']],
    ['docker compose down', ['down', '--timeout', '15']],
  ] as const) {
    it(`has its data after ${what} and docker compose up`, async () => {
      const stored = list.parse(await get('/exports?limit=10'));
      await project.compose(...end);
      await start();
      await assertHealthy();
      const now = list.parse(await get('/exports?limit=10'));
      assert.deepEqual(now, stored);
      await get('/markets/MINE-1/snapshots');
      const file = await fetch(`${project.baseUrl}/api/v1/exports/${now.exports[0]?.id}/file`, {
        headers: { authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(20_000),
      });
      assert.equal(file.status, 200);
      assert.ok((await file.text()).length > 1_000);
    });
  }
});
