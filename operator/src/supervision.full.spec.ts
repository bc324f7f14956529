// Thirty-five kills for minutes. `test/e2e/src/faults/faults.e2e.spec.ts` kills each process once, and all at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportResponse, marketsResponse, processNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { storeGeneratedArchive } from './archive/store.js';
import { serverNames } from './infrastructure.js';
import { connectOperator, createAccount } from './operator.js';
import { startSystem, type System } from './system.js';

const startsMax = { timeoutMs: 120_000 };

describe('a system whose processes are killed', { timeout: 900_000 }, () => {
  let home = '';
  let system: System;
  let authorization = '';
  let tickers: readonly string[] = [];
  const output: string[] = [];
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-supervision-'));
    system = await startSystem({ home, port: 0, print: (line) => output.push(line) });
    const bus = await connectOperator({ url: system.infrastructure.natsUrl, password: system.secrets.nats.operator });
    const { key } = await createAccount(bus, { plan: 'internal', keyName: 'test' });
    await bus.close();
    authorization = `Bearer ${key}`;
    await storeGeneratedArchive(system, Math.floor(Date.now() / 1_000));
    ({ tickers } = await eventually(async () => {
      const { markets } = marketsResponse.parse(await call('/markets?series=GENBTC15M&status=finalized&limit=90'));
      assert.ok(markets.length > 10);
      return { tickers: markets.map(({ ticker }) => ticker) };
    }));
  });
  after(async () => {
    await system.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  const call = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(`${system.baseUrls[0]}/api/v1${path}`, { ...init, headers, signal });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };

  let used = 0;
  /** Reads rows of a market, and exports it, which needs every service and every server. */
  const isServed = async (): Promise<void> => {
    used += 1;
    const ticker = tickers[used] ?? assert.fail();
    await eventually(() => call(`/markets/${ticker}/snapshots?limit=5`), startsMax);
    const body = JSON.stringify({ ticker, format: 'jsonl.gz' });
    const { id } = await eventually(
      async () => exportResponse.parse(await call('/exports', { method: 'POST', body })),
      startsMax,
    );
    await eventually(async () => {
      assert.equal(exportResponse.parse(await call(`/exports/${id}`)).status, 'ready');
    }, startsMax);
  };
  const serverPid = (name: string): number | undefined =>
    system.infrastructure.servers.find((server) => server.name === name)?.process.pid;
  const servicePid = (name: string): number | undefined => system.services.get(name)?.pid;

  /** Kills it this often in a row, and waits until it runs again. */
  const killRepeatedly = async (pidOf: () => number | undefined, times: number): Promise<void> => {
    for (let time = 1; time <= times; time += 1) {
      const pid = pidOf() ?? assert.fail('it does not run');
      process.kill(pid, 'SIGKILL');
      await eventually(() => {
        const next = pidOf();
        assert.ok(next !== undefined && next !== pid);
      }, startsMax);
    }
  };
  const said = (pattern: RegExp): number => output.filter((line) => pattern.test(line)).length;

  for (const name of serverNames) {
    it(`serves again after ${name} was killed three times, on the same port`, async () => {
      const { natsUrl, redisUrl, clickhouseUrl, s3Url } = system.infrastructure;
      await killRepeatedly(() => serverPid(name), 3);
      await isServed();
      assert.deepEqual(
        { ...system.infrastructure },
        { ...system.infrastructure, natsUrl, redisUrl, clickhouseUrl, s3Url },
      );
      assert.equal(said(new RegExp(`^Restarted ${name} \\(process \\d+\\)\\.$`)), 3, output.join('\n'));
    });
  }

  it('serves again after every service was killed five times within a minute', async () => {
    await Promise.all(processNames.map((name) => killRepeatedly(() => servicePid(name), 5)));
    await isServed();
    for (const name of processNames)
      assert.equal(said(new RegExp(`^Restarted ${name} \\(process \\d+\\)\\.$`)), 5, output.join('\n'));
  });

  it('serves again after everything was killed at once', async () => {
    const pids = [...serverNames.map(serverPid), ...processNames.map(servicePid)];
    for (const pid of pids) process.kill(pid ?? assert.fail(), 'SIGKILL');
    await isServed();
  });

  it('names why a server cannot start, a broken folder and then a taken port, and starts it when it can', async () => {
    const folder = join(home, 'redis');
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'no folder');
    process.kill(serverPid('redis-server') ?? assert.fail(), 'SIGKILL');
    await eventually(() => assert.ok(said(/redis cannot be used: .*\nRestarting it in/) >= 2, output.join('\n')));
    assert.equal(serverPid('redis-server'), undefined);
    await call(`/markets/${tickers[0]}`);
    const squatter = createServer().listen(Number(new URL(system.infrastructure.redisUrl).port), '127.0.0.1');
    await once(squatter, 'listening');
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await eventually(
      () => assert.ok(said(/^Port \d+ on 127\.0\.0\.1 is already taken .*redis-server.*\nRestarting it in/) >= 2),
      startsMax,
    );
    squatter.close();
    await eventually(() => assert.ok(serverPid('redis-server') !== undefined), startsMax);
    await isServed();
  });
});
