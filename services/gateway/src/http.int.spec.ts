import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import {
  catalogRpc,
  commerceRpc,
  DomainError,
  type ErrorCode,
  exportRpc,
  keysRpc,
  notFound,
  timeseriesRpc,
} from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { nameOf } from './testing/service-stubs.js';
import { startSystem, type TestSystem } from './testing/gateway.js';

const problem = z.strictObject({ detail: z.string().min(1), code: z.string(), request_id: z.string().min(1) });

describe('the HTTP interface of the gateway', () => {
  let system: TestSystem;
  let key: { account: string; text: string };
  before(async () => {
    system = await startSystem();
    key = system.edge.keys.createKey();
    system.edge.handlers.set(nameOf(catalogRpc.search), (input) => ({ got: input }));
    system.edge.handlers.set(nameOf(catalogRpc.categories), () => ({ count: 0 }));
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), (input) => ({ got: input }));
    system.edge.handlers.set(nameOf(exportRpc.create), (input, { account, plan }) => ({ got: input, account, plan }));
    system.edge.handlers.set(nameOf(keysRpc.create), (input) => ({ got: input }));
    system.edge.handlers.set(nameOf(keysRpc.revoke), (input) => ({ got: input }));
  });
  after(() => system.stop());

  const problemOf = async (response: Response) => {
    assert.equal(response.headers.get('content-type'), 'application/json');
    const body = problem.parse(await response.json());
    assert.equal(body.request_id, response.headers.get('x-request-id'));
    return body;
  };
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    system.request(path, key, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

  it('answers 404 at an unknown path, before it checks the key', async () => {
    for (const path of [
      '/nothing',
      '/Series',
      '/series//',
      '/carts',
      '/markets/a/b',
      '/markets/%zz',
      '/markets/%zz/preview',
    ]) {
      const response = await system.request(path);
      assert.equal(response.status, 404, path);
      assert.equal((await problemOf(response)).code, 'not_found');
    }
    assert.equal((await fetch(`${system.url}/`)).status, 404);
  });
  it('answers 405 with the allowed methods, before it checks the key', async () => {
    for (const [method, path, allow] of [
      ['POST', '/series', 'GET, HEAD'],
      ['PUT', '/keys', 'GET, HEAD, POST'],
      ['GET', '/keys/x', 'DELETE'],
      ['POST', '/exports/formats', 'GET, HEAD'],
    ] as const) {
      const response = await system.request(path, undefined, { method });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, allow]);
      assert.equal((await problemOf(response)).code, 'method_not_allowed');
    }
    const options = await system.request('/keys', undefined, { method: 'OPTIONS' });
    assert.deepEqual([options.status, options.headers.get('allow')], [204, 'GET, HEAD, POST']);
  });
  it('answers 413 to a long body before it checks the key, with or without Content-Length', async () => {
    const long = 'x'.repeat(2_000_000);
    const received = await system.request('/exports', undefined, { method: 'POST', body: long });
    assert.equal(received.status, 413);
    assert.equal((await problemOf(received)).code, 'payload_too_large');
    const stream = new Blob([long]).stream();
    const init = { method: 'POST', body: stream, duplex: 'half' } as const;
    assert.equal((await system.request('/exports', undefined, init)).status, 413);
    const far = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-length': 100_000_000 };
      request(`${system.url}/api/v1/exports`, { method: 'POST', headers }, (response) => {
        response.destroy();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .write('x');
    });
    assert.equal(far, 413);
  });
  it('answers 401 to a missing or malformed key before it checks anything else', async () => {
    const authenticateCalls = system.edge.callsOf(keysRpc.authenticate);
    for (const authorization of [undefined, '', 'Bearer', 'Basic abc', 'Bearer abc', `Bearer ${key.text}x`, key.text]) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await system.request('/search?limit=0', undefined, { headers });
      assert.equal(response.status, 401, authorization);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      assert.equal((await problemOf(response)).code, 'unauthenticated');
    }
    assert.equal(system.edge.callsOf(keysRpc.authenticate), authenticateCalls, 'no call was sent');
    const other = await system.request('/search', undefined, { headers: { authorization: `bEARER  ${key.text}` } });
    assert.equal(other.status, 200);
  });
  it('reports all faults of a request at once as 422, before any look-up', async () => {
    const response = await system.request('/search?limit=0&from_ts=x', key);
    assert.equal(response.status, 422);
    assert.deepEqual(await response.json(), {
      code: 'validation_failed',
      request_id: response.headers.get('x-request-id'),
      detail: [
        {
          type: 'float_parsing',
          loc: ['query', 'from_ts'],
          msg: 'Input should be a valid number, unable to parse string as a number',
          input: 'x',
        },
        {
          type: 'greater_than_equal',
          loc: ['query', 'limit'],
          msg: 'Input should be greater than or equal to 1',
          input: '0',
          ctx: { ge: 1 },
        },
      ],
    });
    const deep = await post('/exports', `{"event":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    assert.equal(deep.status, 422);
    assert.equal((await post('/keys', '')).status, 422);
    assert.equal((await post('/keys', '{"name":""}')).status, 422);
  });
  it('reports a cursor that its service refuses as a fault of the query', async () => {
    system.edge.handlers.set(nameOf(catalogRpc.listMarkets), () => {
      throw new DomainError('invalid_cursor', 'not a cursor', { more: { input: 'x' } });
    });
    const response = await system.request('/markets?cursor=x', key);
    assert.equal(response.status, 422);
    assert.deepEqual(await response.json(), {
      code: 'invalid_cursor',
      request_id: response.headers.get('x-request-id'),
      detail: [
        {
          type: 'value_error',
          loc: ['query', 'cursor'],
          msg: 'Value error, not a cursor',
          input: 'x',
          ctx: { error: {} },
        },
      ],
    });
  });
  it('passes on the query with its defaults, the Idempotency-Key and the account', async () => {
    assert.deepEqual(await (await system.request('/search?q=a+b&category=&limit=5&limit=7', key)).json(), {
      got: { q: 'a b', offset: 0, limit: 7 },
    });
    const created = await post('/exports', '{"event":"E","ticker":""}', { 'idempotency-key': 'once' });
    assert.deepEqual(await created.json(), {
      got: {
        event: 'E',
        streams: ['snapshots', 'settlement'],
        format: 'csv',
        split: 'none',
        numbers: 'decimal',
        csv_formulas: 'keep',
        idempotency_key: 'once',
      },
      account: key.account,
      plan: 'pro',
    });
    assert.deepEqual(await (await post('/keys', '{}')).json(), { got: { name: 'default' } });
    const revoked = await system.request('/keys/abc', key, { method: 'DELETE' });
    assert.deepEqual(await revoked.json(), { got: { key_id: 'abc' } });
    const slash = await system.request('/markets/a%2Fb%2A.%3E', key);
    assert.deepEqual(await slash.json(), { got: { ticker: 'a/b*.>' } });
  });
  it('passes an invalid id to its service, which reports other faults first', async () => {
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), (input) => {
      throw notFound('market_not_found', catalogRpc.marketDetail.input.parse(input).ticker);
    });
    system.edge.handlers.set(nameOf(catalogRpc.eventDetail), (input) => {
      throw notFound('event_not_found', catalogRpc.eventDetail.input.parse(input).event_id);
    });
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), () => {
      throw new DomainError('invalid_window', 'start_ts must be earlier than end_ts.');
    });
    for (const id of ['x'.repeat(40_000), 'a\0b', 'é'.repeat(4_000), '*', 'a.>']) {
      const path = encodeURIComponent(id);
      for (const [at, code] of [
        ['markets', 'market_not_found'],
        ['events', 'event_not_found'],
      ] as const) {
        const response = await system.request(`/${at}/${path}`, key);
        assert.equal(response.status, 404);
        const received = await problemOf(response);
        assert.deepEqual([received.code, received.detail], [code, notFound(code, id).detail]);
      }
      const turned = await system.request(`/markets/${path}/snapshots?start_ts=2&end_ts=1`, key);
      assert.deepEqual([turned.status, (await problemOf(turned)).code], [400, 'invalid_window']);
    }
  });
  it('gives every error code of a service its own status', async () => {
    const statuses: [ErrorCode, number][] = [
      ['invalid_window', 400],
      ['market_not_found', 404],
      ['payment_required', 402],
      ['key_limit_reached', 403],
      ['key_daily_limit', 429],
      ['export_preparing', 409],
      ['export_daily_limit', 429],
      ['export_pending_limit', 429],
      ['conflict', 503],
      ['unavailable', 503],
      ['internal', 500],
    ];
    for (const [code, status] of statuses) {
      system.edge.handlers.set(nameOf(commerceRpc.plan), () => {
        throw new DomainError(code, 'A sentence.', { more: { options: [1] } });
      });
      const response = await system.request('/plan', key);
      assert.equal(response.status, status);
      assert.equal(response.headers.has('retry-after'), status === 503 || status === 429);
      const { request_id: requestId, ...body } = z.looseObject({ request_id: z.string() }).parse(await response.json());
      assert.equal(requestId, response.headers.get('x-request-id'));
      assert.deepEqual(body, { detail: 'A sentence.', code, options: [1] });
    }
  });
  it('answers 500 without a detail of the failure', async () => {
    system.edge.handlers.set(nameOf(commerceRpc.plan), () => {
      throw new Error('secret inside');
    });
    const broken = await problemOf(await system.request('/plan', key));
    assert.equal(broken.code, 'internal');
    assert.ok(!JSON.stringify(broken).includes('secret'));
  });
  it('returns the request id of the caller, or a new one when that is invalid', async () => {
    const requestIdFor = async (own: string) =>
      (await system.request('/categories', key, { headers: { 'x-request-id': own } })).headers.get('x-request-id');
    assert.equal(await requestIdFor('abc-123'), 'abc-123');
    for (const own of ['', 'a b', 'x'.repeat(129), '<script>'])
      assert.match((await requestIdFor(own)) ?? '', /^[0-9a-f-]{36}$/);
  });
  it('answers HEAD like GET without the bytes, and reveals no server software', async () => {
    const head = await system.request('/exports/formats', key, { method: 'HEAD' });
    const get = await system.request('/exports/formats', key);
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), String((await get.arrayBuffer()).byteLength));
    assert.equal(await head.text(), '');
    assert.equal(get.headers.get('x-powered-by'), null);
    assert.equal(get.headers.get('cache-control'), 'private, no-store');
  });
  it('serves its health on a separate port without a key', async () => {
    assert.equal((await fetch(`${system.url}/livez`)).status, 200);
    const ready = await fetch(`${system.url}/readyz`);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), { ready: true, checks: { process: 'ok', nats: 'ok' } });
  });
  it('finishes running requests when it stops, and accepts no new ones', async () => {
    const stopping = await system.another();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let arrived = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    system.edge.handlers.set(nameOf(commerceRpc.plan), async () => {
      arrived();
      await held;
      return { slow: true };
    });
    const pendingResponse = stopping.request('/plan', key);
    await arrival;
    const stopped = stopping.stop();
    await eventually(() => assert.rejects(fetch(`${stopping.url}/livez`)));
    release();
    assert.deepEqual(await (await pendingResponse).json(), { slow: true });
    await stopped;
  });
});
