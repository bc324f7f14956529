import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import { parseConfig } from '@almanac/runtime';
import { eventually, tcpLink } from '@almanac/testing';
import { z } from 'zod';
import { config as gatewayConfig } from '../config.js';
import { type RunningGateway, startSystem, type TestSystem } from '../testing/gateway.js';
import { sendRaw, type RawResponse } from '../testing/raw-http.js';
import { nameOf } from '../testing/service-stubs.js';

const problem = z.strictObject({ detail: z.string().min(1), code: z.string(), request_id: z.string().min(1) });

let system: TestSystem;
let key: { text: string };
let authorization = '';
const categories = nameOf(catalogRpc.categories);
before(async () => {
  system = await startSystem();
  key = system.edge.keys.createKey();
  authorization = `Bearer ${key.text}`;
  system.edge.handlers.set(categories, () => ({ count: 0 }));
});
after(() => system.stop());

describe('a gateway', () => {
  it('that starts without NATS is alive, not ready, answers 503, and serves by itself once NATS is available', async () => {
    const link = await tcpLink();
    const early = await system.launch({ NATS_URL: `nats://127.0.0.1:${link.port}` });
    try {
      assert.equal((await fetch(`${early.url}/livez`)).status, 200);
      await eventually(async () => {
        const ready = await fetch(`${early.url}/readyz`);
        assert.equal(ready.status, 503);
        assert.match(await ready.text(), /"nats":"(?!ok")/);
      });
      const refused = await early.request('/categories', undefined, { headers: { 'x-request-id': 'early' } });
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
      const detail = 'This server is starting. Try again in a few seconds.';
      assert.deepEqual(await refused.json(), { detail, code: 'unavailable', request_id: 'early' });
      link.leadTo(Number(new URL(system.nats.url).port));
      await early.started;
      await eventually(async () => {
        const answer = await fetch(`${early.url}/readyz`);
        assert.equal(answer.status, 200);
        // Without Redis it is ready, and Redis may be connected a moment later.
        assert.deepEqual(await answer.json(), { ready: true, checks: { process: 'ok', nats: 'ok' } });
      });
      await eventually(async () => assert.equal((await early.request('/categories', key)).status, 200));
    } finally {
      await early.stop();
      await link.close();
    }
  });

  it('that stops finishes running requests and accepts no new ones', async () => {
    const stopping = await system.another();
    const arrival = Promise.withResolvers<void>();
    const held = Promise.withResolvers<object>();
    const answer = system.edge.handlers.get(categories) ?? assert.fail();
    system.edge.handlers.set(categories, () => {
      arrival.resolve();
      return held.promise;
    });
    const pendingResponse = stopping.request('/categories', key);
    await arrival.promise;
    const stopped = stopping.stop();
    await eventually(() => assert.rejects(fetch(`${stopping.url}/livez`)));
    held.resolve({ slow: true });
    assert.deepEqual(await (await pendingResponse).json(), { slow: true });
    await stopped;
    system.edge.handlers.set(categories, answer);
  });
});

describe('the gateway, given raw bytes', { timeout: 60_000 }, () => {
  /** Sends these bytes and returns the answer, until the connection ends. */
  const sent = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = '';
      const socket = connect(Number(new URL(system.url).port), '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (data: Buffer) => (received += data.toString()));
      socket.on('end', () => resolve(received)).on('error', reject);
    });
  it('answers invalid HTTP, and a request without a host, in the shape of every error', async () => {
    for (const bytes of ['NO HTTP\r\n\r\n', 'GET /livez HTTP/1.1\r\n\r\n']) {
      const text = await sent(bytes);
      assert.match(text, /^HTTP\/1\.1 400 /, bytes);
      problem.parse(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))));
    }
    assert.match(await sent('GET /livez HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
  });
  it('answers a target without a readable path as an unknown path, and reads the path of a whole URL', async () => {
    for (const [target, status] of [
      ['http://[::1', 404],
      ['http://other.example', 404],
      ['http://other.example/livez', 200],
    ] as const) {
      const answer = await sent(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer);
      if (status === 404) problem.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))));
    }
  });

  it('answers CONNECT like every other method that a path does not have', async () => {
    for (const [target, status, code] of [
      ['/api/v1/plan', 405, 'method_not_allowed'],
      ['/nothing', 404, 'not_found'],
      ['other.example:443', 404, 'not_found'],
    ] as const) {
      const answer = await sent(`CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\nanything`);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} .*"code":"${code}"`, 's'), answer);
      assert.match(answer, /^Connection: close$/im);
    }
  });

  it('answers CONNECT after the requests before it on the connection', async () => {
    const slow = `GET /api/v1/categories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key.text}\r\n\r\n`;
    const answer = await sent(`${slow}${slow}CONNECT /api/v1/plan HTTP/1.1\r\nHost: a\r\n\r\n`);
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 405'], answer);
  });
});

const lab = 'https://lab.example.org';
const other = 'http://localhost:3000';
const allowOrigin = 'access-control-allow-origin';

describe('scripts of pages of other origins', () => {
  let listed: RunningGateway;
  let open: RunningGateway;
  before(async () => {
    listed = await system.another({ CORS_ORIGINS: `${lab}, ${other}` });
    open = await system.another({ CORS_ORIGINS: '*' });
  });

  const get = (gateway: RunningGateway, headers: Record<string, string>, path = '/api/v1/categories') =>
    sendRaw(`${gateway.url}${path}`, { headers: { authorization, ...headers } });
  const preflight = (gateway: RunningGateway, origin: string, path = '/api/v1/exports') =>
    sendRaw(`${gateway.url}${path}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
  const corsOf = ({ headers }: RawResponse): string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it('are not allowed unless their origin is configured', async () => {
    for (const response of [await get(system, { origin: lab }), await preflight(system, lab)]) {
      assert.deepEqual(
        [corsOf(response), response.headers.vary],
        [[], response.status === 204 ? undefined : 'Accept-Encoding'],
      );
    }
    const stranger = await get(listed, { origin: 'https://lab.example.org.evil.net' });
    assert.deepEqual([stranger.status, corsOf(stranger)], [200, []]);
    assert.match(stranger.headers.vary ?? '', /Origin/);
    assert.deepEqual(corsOf(await preflight(listed, 'null')), []);
  });

  it('of a configured origin read answers, errors too, with their headers', async () => {
    for (const [origin, gateway, allowed] of [
      [lab, listed, lab],
      [other, listed, other],
      [lab, open, '*'],
      ['null', open, '*'],
    ] as const) {
      for (const [path, status] of [
        ['/api/v1/categories', 200],
        ['/api/v1/nothing', 404],
        ['/api/v1/markets?limit=0', 422],
      ] as const) {
        const { headers, status: answered } = await get(gateway, { origin }, path);
        assert.deepEqual([answered, headers[allowOrigin]], [status, allowed]);
        const exposed = new Set(String(headers['access-control-expose-headers']).split(', '));
        for (const name of [
          'ETag',
          'Link',
          'RateLimit-Remaining',
          'Retry-After',
          'Almanac-Next-Start-Ts',
          'Almanac-Count',
        ])
          assert.ok(exposed.has(name), name);
        assert.equal(headers['access-control-allow-credentials'], undefined);
        assert.equal(/Origin/.test(headers.vary ?? ''), gateway === listed);
      }
    }
    const unauthenticated = await get(listed, { origin: lab, authorization: 'Bearer nothing' });
    assert.deepEqual([unauthenticated.status, unauthenticated.headers[allowOrigin]], [401, lab]);
    const withoutOrigin = await get(listed, {});
    assert.deepEqual([corsOf(withoutOrigin), withoutOrigin.headers.vary], [[], 'Origin, Accept-Encoding']);
  });

  it('may send keys and bodies after a preflight, which needs no key', async () => {
    const { status, headers } = await preflight(listed, lab);
    assert.deepEqual([status, headers[allowOrigin]], [204, lab]);
    assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, POST, DELETE');
    const sent = String(headers['access-control-allow-headers']).split(', ');
    for (const name of ['Authorization', 'Content-Type', 'If-None-Match', 'Idempotency-Key', 'Range'])
      assert.ok(sent.includes(name), name);
    assert.ok(Number(headers['access-control-max-age']) > 0);
    // Without a requested method it is an ordinary OPTIONS.
    const options = await sendRaw(`${listed.url}/api/v1/exports`, { method: 'OPTIONS', headers: { origin: lab } });
    assert.equal(options.headers['access-control-allow-methods'], undefined);
  });

  it('never reach the pages that take cookies', async () => {
    for (const gateway of [listed, open]) {
      for (const path of ['/auth/session', '/webhooks/stripe', '/docs']) {
        assert.deepEqual(corsOf(await preflight(gateway, lab, path)), [], path);
      }
    }
  });

  it('are configured by origins only', () => {
    const environment = {
      NATS_URL: 'nats://x',
      NATS_PASSWORD: 'x',
      REDIS_URL: 'redis://x',
      SESSION_SECRET: 'x'.repeat(32),
    };
    for (const wrong of [
      'lab.example.org',
      `${lab}/`,
      `${lab}/app`,
      'https://LAB.example.org',
      'https://*.example.org/',
      'https://a:443',
    ]) {
      assert.throws(() => parseConfig(gatewayConfig, { ...environment, CORS_ORIGINS: wrong }), /CORS_ORIGINS/, wrong);
    }
    assert.deepEqual(parseConfig(gatewayConfig, environment).CORS_ORIGINS, []);
    assert.deepEqual(parseConfig(gatewayConfig, { ...environment, CORS_ORIGINS: `${lab},${other}` }).CORS_ORIGINS, [
      lab,
      other,
    ]);
  });
});
