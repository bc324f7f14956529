// Needs haproxy, and a machine that is quick enough for 50 requests a second. That a stopping process ends what it has
// begun is tested in libs/bus and in services/gateway.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { exportResponse, marketsResponse, serviceNames } from '@almanac/contracts';
import { storeGeneratedArchive } from '@almanac/operator';
import { type Answer, type ApiClient, apiClient, poll } from '../api.js';
import { type SystemHarness, startHarness } from '../harness.js';
import { startHaproxy } from './haproxy.js';
import { type LoadRequest, steadyLoad } from './steady-load.js';

/** Requests per second: the target, and lower rates for a machine that is too busy to serve it even without restarts. */
const rates = [200, 100, 50] as const;
/** Longer than haproxy needs to see that a gateway is not ready. */
const gateway = { STOP_DELAY_MS: '3000' };
/** The time until haproxy sees that it is ready again: `minReadySeconds` of k8s/chart. */
const minReadyMs = 3_000;
const trialMs = 2_000;

describe('a rolling restart under steady load, two gateways behind haproxy', () => {
  let running: SystemHarness;
  let haproxy: Awaited<ReturnType<typeof startHaproxy>>;
  let folder = '';
  let api: ApiClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-haproxy-'));
    running = await startHarness({ gateways: 2, environment: { gateway } });
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    haproxy = await startHaproxy(folder, running.system.baseUrls);
    api = apiClient(haproxy.url, await running.key('internal'));
  });
  after(async () => {
    await haproxy.stop();
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('loses no request: every one is answered with 200, and every export becomes ready', async (test) => {
    const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=200');
    const exports: string[] = [];
    const perSecond = await servedRate(api, markets);
    const load = steadyLoad(perSecond, createRequester(api, { markets, exports }));
    const took: Record<string, number> = {};
    const timed = async (name: string, act: () => Promise<void>): Promise<void> => {
      const began = performance.now();
      await act();
      took[name] = Math.round(performance.now() - began);
    };
    for (const name of serviceNames) await timed(name, () => running.system.replace(name));
    for (const name of ['gateway', 'gateway-2']) {
      await timed(name, async () => {
        await running.system.end(name);
        await running.system.restart(name);
      });
      await delay(minReadyMs);
    }
    const { sent, outcomes, seconds } = await load.stop();
    test.diagnostic(JSON.stringify({ perSecond, sent, outcomes, seconds: Math.round(seconds), took }));
    assert.deepEqual(outcomes, { 200: sent });
    assert.ok(exports.length > 0 && sent > perSecond * seconds * 0.9, `${sent} in ${seconds} s`);
    for (const id of exports) await becomesReady(api, id);
  });
});

/** The first of the rates that the idle system serves without a fault and without a growing queue. */
const servedRate = async (api: ApiClient, markets: Markets): Promise<number> => {
  for (const rate of rates) {
    const load = steadyLoad(rate, createRequester(api, { markets, exports: [] }));
    await delay(trialMs);
    const stopping = performance.now();
    const { sent, outcomes } = await load.stop();
    const lateMs = performance.now() - stopping;
    if (outcomes['200'] === sent && lateMs < trialMs / 2) return rate;
  }
  assert.fail(`this machine does not serve ${rates.at(-1)} requests a second`);
};

type Markets = readonly {
  readonly ticker: string;
  readonly event_ticker: string | null;
  readonly open_ts: number | null;
}[];

/** Mostly quick requests, as readers send them, windows that are not cached, and sometimes an export. */
const createRequester = (
  api: ApiClient,
  { markets, exports }: { markets: Markets; exports: string[] },
): LoadRequest => {
  const quick = [
    '/categories',
    '/series?limit=20',
    '/exports/formats',
    '/plan',
    '/search?q=bitcoin',
    '/exports?limit=5',
  ];
  const request = async (path: string): Promise<string> =>
    outcomeOf(path.replace(/\?.*|(?<=markets\/)[^/]+/g, ''), await api.send(path));
  return async (n) => {
    const market = markets[n % markets.length];
    assert.ok(market !== undefined);
    const ticker = encodeURIComponent(market.ticker);
    if (n % 200 === 7) {
      const body = JSON.stringify({ ticker: market.ticker, format: 'csv' });
      const answer = await api.send('/exports', { method: 'POST', body, headers: { 'idempotency-key': randomUUID() } });
      if (answer.status === 200) exports.push(exportResponse.parse(JSON.parse(answer.bytes.toString('utf8'))).id);
      return outcomeOf('POST /exports', answer);
    }
    if (n % 20 === 3) return request(`/markets/${ticker}/snapshots?limit=${1 + (n % 900)}`);
    if (n % 3 === 0) return request(quick[n % quick.length] ?? '/plan');
    return request(`/markets/${ticker}`);
  };
};

/** `200`, or the refusal. */
const outcomeOf = (path: string, { status, bytes }: Answer): string =>
  status === 200 ? '200' : `${status} ${path} ${bytes.toString('utf8').replace(/,"request_id":"[^"]*"/, '')}`;

const becomesReady = async (api: ApiClient, id: string): Promise<void> => {
  const { status } = await poll(
    () => api.json(exportResponse, `/exports/${id}`),
    (one) => one.status !== 'pending',
  );
  assert.equal(status, 'ready');
};
