import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Reply } from '@almanac/bus';
import { catalogRpc, notFound, timeseriesRpc } from '@almanac/contracts';
import { sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { nameOf } from './testing/service-stubs.js';
import { startSystem, type TestSystem } from './testing/gateway.js';

const detail = nameOf(catalogRpc.marketDetail);
const route = '/markets/:ticker';

describe('the gateway metrics', () => {
  let system: TestSystem;
  let key: { text: string };
  before(async () => {
    system = await startSystem({ CACHE_FROM_ASK: '1' });
    key = system.edge.keys.createKey();
  });
  after(() => system.stop());

  const figure = async (name: string, labels: Record<string, string> = {}) =>
    sumOfSamples(await system.samples(), name, labels);
  const requests = (labels: Record<string, string>) => figure('almanac_http_requests_total', labels);
  const request = async (path: string, init?: { method: string }) => {
    const answer = await system.request(path, key, init);
    await answer.arrayBuffer();
    return answer.status;
  };

  it('count requests by their route, method and status, whatever their path contains', async () => {
    system.edge.handlers.set(detail, () => {
      throw notFound('market_not_found', 'A');
    });
    for (const ticker of ['A', 'B', 'C']) assert.equal(await request(`/markets/${ticker}`), 404);
    await eventually(async () => assert.equal(await requests({ route, method: 'get', status: '404' }), 3));
    assert.equal(await figure('almanac_http_request_seconds_count', { route, method: 'get' }), 3);
    assert.ok(((await figure('almanac_http_request_seconds_sum', { route })) ?? 0) > 0);
  });

  it('count unknown routes as other, so that a scanner creates no metric of its own', async () => {
    assert.equal(await request('/nothing/at/all'), 404);
    assert.equal(await request('/series', { method: 'DELETE' }), 405);
    await eventually(async () => {
      for (const status of ['404', '405']) {
        assert.equal(await requests({ route: 'other', method: 'other', status }), 1, status);
      }
    });
    const labels = (await system.samples()).map((sample) => JSON.stringify(sample.labels)).join('\n');
    assert.doesNotMatch(labels, /nothing/);
  });

  it('count the probes, and the documentation files as one route', async () => {
    for (const path of ['/readyz', '/openapi.json', '/docs/page/start.js', '/docs/'])
      await fetch(`${system.url}${path}`);
    await eventually(async () => {
      for (const one of ['/readyz', '/openapi.json']) assert.equal(await requests({ route: one, status: '200' }), 1);
      assert.ok(((await requests({ route: '/docs/*' })) ?? 0) >= 2);
    });
  });

  it('show requests in flight, and a client that disconnects before its response as 499', async () => {
    const answered = Promise.withResolvers<object>();
    system.edge.handlers.set(detail, () => answered.promise);
    const leaving = new AbortController();
    const slowRequest = fetch(`${system.url}/api/v1/markets/SLOW`, {
      headers: { authorization: `Bearer ${key.text}` },
      signal: leaving.signal,
    });
    await eventually(async () => assert.equal(await figure('almanac_http_requests_in_flight'), 1));
    leaving.abort();
    await assert.rejects(slowRequest);
    await eventually(async () => assert.equal(await requests({ route, status: '499' }), 1));
    assert.equal(await figure('almanac_http_requests_in_flight'), 0);
    answered.resolve({});
  });

  it('count cache hits and misses, with the bytes in the cache', async () => {
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), () => Reply.json({}, { ticker: 'HOT', version: 1 }));
    const cachedRoute = `${route}/snapshots`;
    const cached = (outcome: string) => figure('almanac_cache_answers_total', { route: cachedRoute, outcome });
    const missed = (await cached('miss')) ?? 0;
    await eventually(async () => {
      assert.equal(await request('/markets/HOT/snapshots'), 200);
      assert.ok(((await cached('hit')) ?? 0) > 0);
    });
    assert.ok(((await cached('miss')) ?? 0) > missed);
    assert.ok(((await figure('almanac_cache_bytes')) ?? 0) > 100);
  });
});
