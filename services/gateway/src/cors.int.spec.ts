import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import { parseConfig } from '@almanac/runtime';
import { gatewayConfig } from './config.js';
import { type RunningGateway, startSystem, type TestSystem } from './testing/gateway.js';
import { sendRaw, type RawResponse } from './testing/raw-http.js';
import { nameOf } from './testing/service-stubs.js';

const lab = 'https://lab.example.org';
const other = 'http://localhost:3000';
const allowOrigin = 'access-control-allow-origin';

describe('scripts of pages of other origins', () => {
  let system: TestSystem;
  let listed: RunningGateway;
  let open: RunningGateway;
  let authorization = '';
  before(async () => {
    system = await startSystem();
    listed = await system.another({ CORS_ORIGINS: `${lab}, ${other}` });
    open = await system.another({ CORS_ORIGINS: '*' });
    authorization = `Bearer ${system.edge.keys.createKey().text}`;
    system.edge.handlers.set(nameOf(catalogRpc.categories), () => ({ count: 0 }));
  });
  after(() => system.stop());

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
