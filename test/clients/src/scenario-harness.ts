import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Almanac } from '@almanac/client/node';
import { storeGeneratedArchive } from '@almanac/system';
import { startHarness, type SystemHarness } from '@almanac/test-e2e';
import { freePort, suspendProcess } from '@almanac/testing';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.js';
import type { Scenario } from './scenario.js';

export interface ScenarioHarness {
  readonly baseUrl: string;
  /** Ids and times of the archive. */
  readonly variables: ReadonlyMap<string, unknown>;
  key(plan: Scenario['plan']): Promise<string>;
  makeFolder(): Promise<string>;
  /** Makes something wrong. The returned function ends it. */
  begin(during: Scenario['during']): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Reached after a few exports, and far above what other scenarios create. */
const planTerms = JSON.stringify({ pro: { exportsPerDay: 2 } });

export const startScenarioHarness = async (): Promise<ScenarioHarness> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-scenarios-'));
  const running = await startHarness({ environment: { commerce: { PLAN_TERMS: planTerms } } });
  const proxy = await faultyProxy(running.system.baseUrls[0]);
  const foreign = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Log in</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  const found = await findVariables(proxy.url, await running.key('internal'));
  const closedUrl = `http://127.0.0.1:${await freePort()}`;
  return {
    baseUrl: proxy.url,
    variables: new Map<string, unknown>([...found, ['foreign_url', foreignUrl], ['closed_url', closedUrl]]),
    key: (plan) => running.key(plan),
    makeFolder: () => mkdtemp(join(folder, 'scenario-')),
    begin: async (during) => {
      if (during === 'store_stopped') return stopStore(running);
      if (during === 'gateway_restarts') return restartDuringWait(running, proxy);
      useFault(proxy, during);
      return async () => proxy.reset();
    },
    stop: async () => {
      foreign.close();
      await proxy.stop();
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
};

/** Exports stay pending, because no file can be stored. */
const stopStore = async ({ system }: SystemHarness): Promise<() => Promise<void>> => {
  const store = system.infrastructure.servers.find(({ name }) => name === 'the object store');
  assert.ok(store);
  const resume = await suspendProcess(store.process.pid);
  return async () => resume();
};

/** The gateway is killed when somebody begins to wait for an export, which is pending until it is back. */
const restartDuringWait = async (running: SystemHarness, proxy: FaultyProxy): Promise<() => Promise<void>> => {
  const resume = await stopStore(running);
  let restarted: Promise<void> | undefined;
  const restart = async (): Promise<void> => {
    await running.system.kill('gateway');
    await running.system.restart('gateway');
    await resume();
  };
  proxy.use(({ url }) => {
    if (url.endsWith('/events')) restarted ??= restart();
    return { kind: 'none' };
  });
  return async () => {
    proxy.reset();
    await resume();
    assert.ok(restarted, 'nobody has waited');
    await restarted;
  };
};

const useFault = (proxy: FaultyProxy, during: Scenario['during']): void => {
  const pass = { kind: 'none' } as const;
  let count = 0;
  const body = { detail: 'Slow down.', code: 'rate_limited', request_id: 'storm' };
  proxy.use(({ url }) => {
    const isFile = url.endsWith('/file');
    if (isFile && during === 'downloads_cut' && (count += 1) <= 3) return { kind: 'cut', afterBytes: 20_000 };
    if (isFile && during === 'files_damaged') return { kind: 'damage', at: 1_000 };
    if (during === 'storm' && (count += 1) % 3 !== 0) return { kind: 'answer', status: 429, body, retryAfterS: 0 };
    return pass;
  });
};

/** The generated archive is dated around now, so scenarios name its ids by variables. */
const findVariables = async (baseUrl: string, apiKey: string): Promise<[string, unknown][]> => {
  const almanac = new Almanac({ baseUrl, apiKey });
  const [market] = await almanac.markets
    .list({ series: 'GENBTC15M', status: 'finalized', limit: 1, days: 1 })
    .toArray();
  const [other] = await almanac.markets.list({ series: 'GENBTCH', status: 'finalized', limit: 1, days: 1 }).toArray();
  assert.ok(market?.open_ts != null && market.close_ts != null && other);
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  return [
    ['ticker', market.ticker],
    ['event', market.event_ticker],
    ['open_ts', market.open_ts],
    ['close_ts', market.close_ts],
    ['mid_ts', market.open_ts + 450],
    ['ladder_ticker', other.ticker],
    ['ladder_event', other.event_ticker],
    ['future_s', Math.floor(Date.now() / 1_000) + 86_400],
    ['today', day(0)],
    ['yesterday', day(-1)],
    ['no_day', '2001-01-01'],
  ];
};
