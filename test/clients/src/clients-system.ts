import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Almanac } from '@almanac/client/node';
import { storeGeneratedArchive } from '@almanac/operator';
import { startHarness, type SystemHarness } from '@almanac/test-e2e';
import { freePort, suspendProcess } from '@almanac/testing';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.js';
import type { Scenario } from './scenario.js';

/** A running system with the generated archive, behind a network that a test can break. */
export interface ClientsSystem {
  readonly baseUrl: string;
  readonly proxy: FaultyProxy;
  /** A server that is not ours. */
  readonly foreignUrl: string;
  /** Nothing listens there. */
  readonly closedUrl: string;
  /** Different ones, for tests of exports whose files nobody else has made. */
  readonly markets: readonly ArchivedMarket[];
  /** The key of a new account. */
  key(plan: Scenario['plan']): Promise<string>;
  /** A new folder, which is removed in the end. */
  makeFolder(): Promise<string>;
  /** Makes something wrong. The returned function ends it. */
  begin(during: Scenario['during']): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Ids and times of a closed market of the generated archive, which is dated around now. */
export interface ArchivedMarket {
  readonly ticker: string;
  readonly event: string;
  readonly openTs: number;
  readonly closeTs: number;
  /** An event with several markets, and one of them. */
  readonly ladderEvent: string;
  readonly ladderTicker: string;
}

/** Starts one system before the tests of a file, and stops it after them. */
export const useClientsSystem = (): (() => ClientsSystem) => {
  let running: ClientsSystem | undefined;
  before(async () => {
    running = await startClientsSystem();
  });
  after(() => running?.stop());
  return () => running ?? assert.fail('the system runs only while tests run');
};

/** Reached after a few exports, and far above what other tests with this plan create. */
const planTerms = JSON.stringify({ pro: { exportsPerDay: 2 } });

const startClientsSystem = async (): Promise<ClientsSystem> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-clients-'));
  const running = await startHarness({ environment: { commerce: { PLAN_TERMS: planTerms } } });
  const proxy = await faultyProxy(running.system.baseUrls[0]);
  const foreign = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Log in</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  return {
    baseUrl: proxy.url,
    proxy,
    foreignUrl: `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`,
    closedUrl: `http://127.0.0.1:${await freePort()}`,
    markets: await findMarkets(proxy.url, await running.key('internal')),
    key: (plan) => running.key(plan),
    makeFolder: () => mkdtemp(join(folder, 'test-')),
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

const findMarkets = async (baseUrl: string, apiKey: string): Promise<readonly ArchivedMarket[]> => {
  const almanac = new Almanac({ baseUrl, apiKey });
  const newest = (series: string) => almanac.markets.list({ series, status: 'finalized', days: 1 }).toArray();
  const ladders = new Map((await newest('GENBTCH')).map(({ ticker, event_ticker }) => [event_ticker, ticker]));
  const markets = (await newest('GENBTC15M')).slice(0, ladders.size);
  return markets.map(({ ticker, event_ticker: event, open_ts: openTs, close_ts: closeTs }, at) => {
    const [ladderEvent, ladderTicker] = [...ladders][at] ?? [];
    assert.ok(event != null && openTs != null && closeTs != null && ladderEvent != null && ladderTicker !== undefined);
    return { ticker, event, openTs, closeTs, ladderEvent, ladderTicker };
  });
};
