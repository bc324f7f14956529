import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportResponse, marketsResponse } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/system';
import { eventually, type ServerName } from '@almanac/testing';
import { z } from 'zod';
import { type ApiClient, errorBody, poll } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';
import { type ReconfigurableServers, reconfigurableServers } from './reconfigurable-servers.js';

const services = ['gateway', 'catalog', 'timeseries', 'export', 'commerce', 'keys', 'webhooks'] as const;
type Service = (typeof services)[number];

const readyz = z.object({
  ready: z.boolean(),
  checks: z.record(z.string(), z.string()),
  degraded: z.record(z.string(), z.string()).default({}),
});

/** The processes that use a server, the name of its check, and the message for a refused password. */
const servers: readonly {
  name: ServerName;
  of: readonly Service[];
  check: string;
  reportedFault: RegExp;
  without: boolean;
}[] = [
  {
    name: 'nats',
    of: services,
    check: 'nats',
    reportedFault: /the user \w+ or its password is refused/,
    without: false,
  },
  {
    name: 'clickhouse',
    of: ['catalog', 'timeseries', 'export'],
    check: 'clickhouse',
    reportedFault: /Authentication failed/,
    without: false,
  },
  {
    name: 'redis',
    of: ['gateway', 'timeseries', 'keys'],
    check: 'redis',
    reportedFault: /refuses the login/,
    without: true,
  },
  { name: 's3', of: ['export'], check: 'object_store', reportedFault: /refused/, without: false },
];

describe('servers that are unavailable or refuse their password', { timeout: 290_000 }, () => {
  let running: SystemHarness;
  let reconfigurable: ReconfigurableServers;
  let api: ApiClient;
  let tickers: readonly string[] = [];
  let exported = '';
  let walks = 0;

  before(async () => {
    reconfigurable = reconfigurableServers();
    running = await startHarness({ servers: reconfigurable.starters });
    api = await running.client('internal');
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=20');
    tickers = markets.map(({ ticker }) => ticker);
    const body = JSON.stringify({ ticker: tickers[0], format: 'jsonl.gz' });
    ({ id: exported } = await api.json(exportResponse, '/exports', { method: 'POST', body }));
    await poll(
      () => api.json(exportResponse, `/exports/${exported}`),
      ({ status }) => status === 'ready',
    );
  });
  after(() => running.stop());

  /** Sends requests that reach every service, for another market each time. Returns the number of 503 answers. */
  const walk = async (): Promise<number> => {
    walks += 1;
    const ticker = tickers[walks % tickers.length] ?? assert.fail();
    const paths = [
      '/categories',
      `/markets?limit=${1 + (walks % 90)}`,
      `/search?q=bitcoin${walks}`,
      `/markets/${ticker}`,
      `/markets/${ticker}/snapshots?limit=${1 + walks}`,
      `/markets/${ticker}/preview`,
      '/plan',
      '/keys',
      '/exports',
      `/exports/${exported}`,
      `/exports/${exported}/file`,
    ];
    const body = JSON.stringify({ ticker, format: 'jsonl.gz' });
    const answers = await Promise.all([
      ...paths.map(async (path) => ({ path, ...(await api.send(path)) })),
      api.send('/exports', { method: 'POST', body }).then((answer) => ({ path: 'POST /exports', ...answer })),
    ]);
    for (const { path, status, headers, bytes } of answers) {
      if (status === 200) continue;
      assert.equal(status, 503, `${path}: ${bytes.toString()}`);
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, path);
      assert.ok(['unavailable', 'conflict'].includes(errorBody.parse(JSON.parse(bytes.toString())).code), path);
    }
    return answers.filter(({ status }) => status !== 200).length;
  };
  const stateOf = async (service: string): Promise<z.output<typeof readyz>> => {
    const { healthPort } = running.system.services.get(service) ?? assert.fail(service);
    return readyz.parse(await (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).json());
  };
  const isWell = (): Promise<void> =>
    eventually(
      async () => {
        assert.equal(await walk(), 0);
        for (const service of services) {
          const { ready, degraded } = await stateOf(service);
          assert.ok(ready, service);
          for (const { check } of servers) assert.equal(degraded[check], undefined, service);
        }
      },
      { timeoutMs: 120_000 },
    );

  for (const { name, of, check, reportedFault, without } of servers) {
    it(`${name}: each process that uses it reports it, requests get 503 with Retry-After, and the system recovers by itself`, async () => {
      await reconfigurable.kill(name);
      await walk();
      await eventually(() => reconfigurable.startAgain(name, 'other'), { timeoutMs: 60_000 });
      await eventually(
        async () => {
          for (const service of of) {
            const { ready, checks, degraded } = await stateOf(service);
            assert.match((without ? degraded : checks)[check] ?? '', reportedFault, service);
            assert.equal(ready, without, service);
          }
        },
        { timeoutMs: 60_000 },
      );
      const refused = await walk();
      assert.equal(refused === 0, without, `${refused} answers were 503`);
      await reconfigurable.kill(name);
      await eventually(() => reconfigurable.startAgain(name, 'of before'), { timeoutMs: 60_000 });
      await isWell();
    });
  }

  it('may be unavailable at the start: the gateway answers 503, and serves once they are available', async () => {
    for (const { name } of servers) await reconfigurable.kill(name);
    for (const service of services) await running.system.kill(service);
    // A start has 30 s, which may be too short on a busy machine: then it is repeated.
    const started = services.map((service) =>
      eventually(() => running.system.restart(service), { timeoutMs: 120_000 }),
    );
    await eventually(async () => {
      const answer = await api.send('/categories');
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
    });
    for (const { name } of servers)
      await eventually(() => reconfigurable.startAgain(name, 'of before'), { timeoutMs: 60_000 });
    await Promise.all(started);
    await isWell();
  });

  it('leave messages in the log, and no password', async () => {
    const folder = join(running.home, 'logs');
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
    const log = texts.join('\n');
    for (const { check } of servers) assert.ok(log.includes(`"check":"${check}"`), check);
    const { nats, clickhouse, redis, s3, s3Slabs, s3Root } = running.system.secrets;
    const secrets = [nats, clickhouse, redis, s3, s3Slabs, s3Root].flatMap((all) =>
      Object.values(z.record(z.string(), z.string()).parse(all)),
    );
    for (const secret of secrets.filter(
      (text) => ![s3.accessKeyId, s3Slabs.accessKeyId, s3Root.accessKeyId].includes(text),
    ))
      assert.ok(!log.includes(secret));
  });
});
