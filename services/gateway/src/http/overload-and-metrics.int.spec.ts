import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Reply } from '@almanac/bus';
import { catalogRpc, exportRpc, notFound, timeseriesRpc } from '@almanac/contracts';
import { sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { type RunningGateway, startSystem, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { nameOf } from '../testing/service-stubs.js';

let system: TestSystem;
const open: ClientRequest[] = [];
before(async () => {
  system = await startSystem({ CACHE_FROM_REQUEST: '1' });
});
afterEach(() => {
  for (const sent of open.splice(0)) sent.destroy();
});
after(() => system.stop());

const connectionsMax = 12;

describe('the bodies and connections of a gateway', () => {
  let gateway: RunningGateway;
  before(async () => {
    gateway = await system.another({ BODIES_MB: '1', CONNECTIONS_MAX: String(connectionsMax) });
    system.edge.handlers.set(nameOf(exportRpc.create), (input) => ({ got: input }));
  });

  /** Sends a head and the begin of a body, and no more. */
  const beginPost = (headers: Record<string, string>, begin = ''): ClientRequest => {
    const sent = request(`${gateway.url}/api/v1/exports`, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    if (begin !== '') sent.write(begin);
    open.push(sent);
    return sent;
  };
  const answerTo = async (sent: ClientRequest) => {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const { code } = z.looseObject({ code: z.string() }).parse(JSON.parse(Buffer.concat(chunks).toString()));
    return { status: response.statusCode, code, retryAfter: response.headers['retry-after'] };
  };
  const keyOf = ({ text }: { text: string }) => ({
    authorization: `Bearer ${text}`,
    'content-type': 'application/json',
  });
  const requestsInFlight = async (): Promise<number> =>
    sumOfSamples(await gateway.samples(), 'almanac_http_requests_in_flight') ?? 0;

  it('checks the key before the body arrives', async () => {
    const answer = await answerTo(beginPost({ 'content-length': '1000' }));
    assert.deepEqual([answer.status, answer.code], [401, 'unauthenticated']);
  });

  it('counts a long body in chunks before it refuses the key', async () => {
    const sent = beginPost({ 'transfer-encoding': 'chunked' });
    sent.end('x'.repeat(262_145));
    assert.equal((await answerTo(sent)).status, 413);
    const short = beginPost({ 'transfer-encoding': 'chunked' });
    short.end('x'.repeat(262_144));
    assert.equal((await answerTo(short)).status, 401);
  });

  it('refuses a declared length above the limit before the body arrives', async () => {
    assert.equal((await answerTo(beginPost({ 'content-length': '262145' }))).status, 413);
  });

  it('answers 503 to bodies beyond the share of their account, and reads those of others', async () => {
    const [busy, other] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
    // Afterwards the key and its requests are in memory, so the next request reserves at once.
    await (await gateway.request('/exports/formats', busy)).text();
    const length = { 'content-length': '200000' };
    const first = beginPost({ ...keyOf(busy), ...length }, ' ');
    await eventually(async () => assert.equal(await requestsInFlight(), 1));
    const refused = await answerTo(beginPost({ ...keyOf(busy), ...length }));
    assert.deepEqual([refused.status, refused.code, refused.retryAfter], [503, 'unavailable', '1']);
    const small = await gateway.request('/exports', other, {
      method: 'POST',
      body: '{"event":"E"}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(small.status, 200);
    first.end(`{"event":"E"}${' '.repeat(200_000 - 14)}`);
    const [response] = (await once(first, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    const refusals = sumOfSamples(await gateway.samples(), 'almanac_http_overload_total', { reason: 'bodies' });
    assert.equal(refusals, 1);
  });

  it('closes connections beyond the limit', async () => {
    const { port } = new URL(gateway.url);
    const sockets = Array.from({ length: connectionsMax + 5 }, () => connect(Number(port), '127.0.0.1'));
    let closed = 0;
    for (const socket of sockets) socket.on('error', () => undefined).once('close', () => (closed += 1));
    try {
      await eventually(() => assert.ok(closed >= 5));
      assert.ok(closed < sockets.length);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});

/** More than the buffers of both ends of a connection. */
const answerBytes = 16 * 1_048_576;

describe('clients that read large answers slowly', () => {
  let gateway: RunningGateway;
  let impatient: RunningGateway;
  before(async () => {
    gateway = await system.another({ ANSWERS_MB: '1' });
    impatient = await system.another({ ANSWERS_MB: '8', CLIENT_STALL_S: '2' });
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), () => new Reply(Buffer.alloc(answerBytes, ' ')));
  });

  /** The answer of a client that reads nothing of it. */
  const stalledRead = async ({ url }: RunningGateway, { text }: TestKey, query = ''): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${text}` };
    const sent = request(`${url}/api/v1/markets/M/snapshots${query}`, { headers, agent: false });
    sent.on('error', () => undefined).end();
    open.push(sent);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  };

  it('are disconnected when they read nothing for a while', async () => {
    const response = await stalledRead(impatient, system.edge.keys.createKey());
    assert.equal(response.statusCode, 200);
    const stalled = async () =>
      sumOfSamples(await impatient.samples(), 'almanac_http_overload_total', { reason: 'stalled' });
    await eventually(async () => assert.equal(await stalled(), 1));
    const closed = new Promise((resolve) => response.once('close', resolve));
    response.resume();
    await closed;
    assert.equal(response.complete, false);
  });

  it('get the complete answer if they keep reading', async () => {
    const response = await stalledRead(impatient, system.edge.keys.createKey());
    let total = 0;
    let pauses = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total < (pauses + 1) * 4 * 1_048_576) continue;
      pauses += 1;
      await delay(800);
    }
    assert.deepEqual([total, response.complete], [answerBytes, true]);
  });

  it('get 503 beyond the memory for answers, by account and by process', async () => {
    const [first, second, third] = [1, 2, 3].map(() => system.edge.keys.createKey());
    assert.ok(first && second && third);
    const held = await stalledRead(gateway, first);
    assert.equal(held.statusCode, 200);
    const refused = await stalledRead(gateway, first);
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1']);
    assert.equal((await stalledRead(gateway, second)).statusCode, 200);
    assert.equal((await stalledRead(gateway, third)).statusCode, 503);
    assert.equal(sumOfSamples(await gateway.samples(), 'almanac_http_overload_total', { reason: 'answers' }), 2);
    held.destroy();
    await eventually(async () => assert.equal((await stalledRead(gateway, third)).statusCode, 200));
  });

  it('get 503 for a bulk read before its service reads anything', async () => {
    gateway = await system.another({ ANSWERS_MB: '1' });
    const key = system.edge.keys.createKey();
    assert.equal((await stalledRead(gateway, key)).statusCode, 200);
    let calls = 0;
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), () => {
      calls += 1;
      return new Reply(Buffer.alloc(answerBytes, ' '));
    });
    for (const format of ['csv', 'ndjson', 'parquet', 'arrow'])
      assert.equal((await stalledRead(gateway, key, `?format=${format}`)).statusCode, 503, format);
    assert.equal(calls, 0);
    assert.equal((await stalledRead(gateway, system.edge.keys.createKey(), '?format=parquet')).statusCode, 200);
    assert.equal(calls, 1);
  });
});

const detail = nameOf(catalogRpc.marketDetail);
const route = '/markets/:ticker';

describe('the gateway metrics', () => {
  let key: TestKey;
  before(() => {
    key = system.edge.keys.createKey();
  });

  const figure = async (name: string, labels: Record<string, string> = {}) =>
    sumOfSamples(await system.samples(), name, labels);
  const requests = (labels: Record<string, string>) => figure('almanac_http_requests_total', labels);
  const send = async (path: string, init?: { method: string }) => {
    const answer = await system.request(path, key, init);
    await answer.arrayBuffer();
    return answer.status;
  };

  it('count requests by their route, method and status, whatever their path contains', async () => {
    system.edge.handlers.set(detail, () => {
      throw notFound('market_not_found', 'A');
    });
    for (const ticker of ['A', 'B', 'C']) assert.equal(await send(`/markets/${ticker}`), 404);
    await eventually(async () => assert.equal(await requests({ route, method: 'get', status: '404' }), 3));
    assert.equal(await figure('almanac_http_request_seconds_count', { route, method: 'get' }), 3);
    assert.ok(((await figure('almanac_http_request_seconds_sum', { route })) ?? 0) > 0);
  });

  it('count unknown routes as other, so that a scanner creates no metric of its own', async () => {
    assert.equal(await send('/nothing/at/all'), 404);
    assert.equal(await send('/series', { method: 'DELETE' }), 405);
    await eventually(async () => {
      for (const status of ['404', '405']) {
        assert.equal(await requests({ route: 'other', method: 'other', status }), 1, status);
      }
    });
    const labels = (await system.samples()).map((sample) => JSON.stringify(sample.labels)).join('\n');
    assert.doesNotMatch(labels, /nothing/);
  });

  it('count the probes, and the documentation files as one route', async () => {
    for (const path of ['/readyz', '/openapi.json', '/docs/page.css', '/docs/']) await fetch(`${system.url}${path}`);
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
      assert.equal(await send('/markets/HOT/snapshots'), 200);
      assert.ok(((await cached('hit')) ?? 0) > 0);
    });
    assert.ok(((await cached('miss')) ?? 0) > missed);
    assert.ok(((await figure('almanac_cache_bytes')) ?? 0) > 100);
  });
});
