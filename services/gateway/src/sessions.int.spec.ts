import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';

import { nameOf } from './testing/service-stubs.js';
import { type RunningGateway, startSystem, type TestSystem } from './testing/gateway.js';
import { fromPage, sessionClient } from './testing/session-client.js';

const hourMs = 3_600_000;

describe('a session', () => {
  let system: TestSystem;
  let another: RunningGateway;
  before(async () => {
    system = await startSystem({ TRUST_PROXY: 'loopback' });
    another = await system.another();
    system.edge.handlers.set(nameOf(keysRpc.list), (_input, { account }) => ({ of: account }));
    for (const method of [keysRpc.create, keysRpc.revoke]) {
      system.edge.handlers.set(nameOf(method), (input, { account }) => ({ got: input, of: account }));
    }
  });
  after(() => system.stop());

  const { atSession, login, statusOf } = sessionClient(() => system);

  it('starts with a valid key, and scripts and other sites cannot read it', async () => {
    const key = system.edge.keys.createKey();
    const { cookie, attributes, expires_ts, response } = await login(key);
    assert.match(cookie, new RegExp(`^almanac_session=${key.id}\\.\\d+\\.[\\w-]{16}\\.[\\w-]{43}$`));
    assert.ok(attributes.includes('HttpOnly') && attributes.includes('SameSite=Lax') && attributes.includes('Path=/'));
    assert.ok(!attributes.includes('Secure'), 'this one came without TLS');
    assert.ok(Math.abs(expires_ts * 1_000 - Date.now() - 12 * hourMs) < hourMs);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.equal(response.headers.get('ratelimit-limit'), '1200');
    const behindTls = await login(key, { 'x-forwarded-proto': 'https' });
    assert.ok(behindTls.attributes.includes('Secure'));
  });

  it('starts from a form of this origin, and from no other form', async () => {
    const key = system.edge.keys.createKey();
    const form = `api_key=${key.text}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const own = { ...type, origin: system.url, 'sec-fetch-site': 'same-origin' };
    assert.equal((await atSession('POST', own, form)).status, 200);
    for (const headers of [
      type,
      { ...type, origin: 'https://evil.example' },
      { ...type, origin: 'null' },
      { ...own, 'sec-fetch-site': 'cross-site' },
    ]) {
      const response = await atSession('POST', headers, form);
      assert.equal(response.status, 403);
      assert.equal(response.headers.getSetCookie().length, 0);
    }
  });

  it('does not start without a valid key', async () => {
    const own = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const never = system.edge.keys.inventKey().text;
    const refused = [
      await atSession('POST', {}),
      await atSession('POST', { authorization: `Bearer ${never}` }),
      await atSession('POST', own, `api_key=${never}`),
      await atSession('POST', own, 'key=x'),
      await atSession('POST', own, 'api_key='),
    ];
    for (const response of refused) {
      assert.deepEqual([response.status, response.headers.getSetCookie()], [401, []]);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    }
    assert.equal((await atSession('PUT', {})).headers.get('allow'), 'GET, HEAD, POST, DELETE');
  });

  it('is accepted among other cookies, but not when it was changed or is too old', async () => {
    const key = system.edge.keys.createKey();
    const { cookie } = await login(key);
    const requestKeys = async (text: string) => (await statusOf('/keys', { headers: { cookie: text } })).status;
    assert.equal(await requestKeys(`a=b; almanac_session=x; ${cookie}; c="d"`), 200);
    const other = system.edge.keys.createKey();
    const [, expires = '', id = '', signature = ''] = cookie.split('.');
    for (const text of [
      'almanac_session=',
      cookie.slice(0, -1),
      `${cookie}x`,
      cookie.replace(key.id, other.id),
      `almanac_session=${key.id}.${Number(expires) + 1}.${id}.${signature}`,
      `almanac_session=${key.id}.0${expires}.${id}.${signature}`,
      `almanac_session=${key.id}.${expires}.${'x'.repeat(16)}.${signature}`,
      `almanac_session=${key.id}.${expires}.${signature}`,
      `almanac_session=${key.id}.${expires}.${id}.`,
      cookie.replace('almanac_session', 'Almanac_session'),
    ]) {
      assert.equal(await requestKeys(text), 401, text);
    }
  });

  it('is ignored when a key was sent', async () => {
    const [key, other] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
    const { cookie } = await login(key);
    const byKey = await statusOf('/keys', { headers: { cookie, authorization: `Bearer ${other.text}` } });
    assert.deepEqual([byKey.status, byKey.of], [200, other.account]);
    assert.equal((await statusOf('/keys', { headers: { cookie, authorization: 'Bearer x' } })).status, 401);
  });

  it('writes only from a page of this origin that has its token', async () => {
    const session = await login(system.edge.keys.createKey());
    const stranger = await login(system.edge.keys.createKey());
    const headers = fromPage(session, system);
    const { 'x-csrf-token': _token, ...withoutToken } = headers;
    const { origin: _origin, 'sec-fetch-site': _site, ...fromNowhere } = headers;
    const calls = system.edge.callsOf(keysRpc.create);
    for (const wrong of [
      withoutToken,
      fromNowhere,
      { ...headers, 'x-csrf-token': stranger.csrf_token },
      { ...headers, 'x-csrf-token': `${session.csrf_token}x` },
      { ...headers, origin: 'https://evil.example' },
      { ...headers, origin: 'null' },
      { ...headers, 'sec-fetch-site': 'same-site' },
      { ...headers, 'sec-fetch-site': 'cross-site' },
      { ...headers, 'sec-fetch-site': 'none' },
    ]) {
      for (const [method, path] of [
        ['POST', '/keys'],
        ['DELETE', '/keys/x'],
      ] as const) {
        const body = method === 'POST' ? { body: '{}' } : {};
        const { status, code } = await statusOf(path, { method, headers: wrong, ...body });
        assert.deepEqual([status, code], [403, 'csrf_refused'], JSON.stringify(wrong));
      }
    }
    assert.equal(system.edge.callsOf(keysRpc.create), calls);
    const { origin: _unsent, ...bySite } = headers;
    assert.equal((await statusOf('/keys', { method: 'POST', headers: bySite, body: '{}' })).status, 200);
    const { 'sec-fetch-site': _old, ...byOrigin } = headers;
    assert.equal((await statusOf('/keys', { method: 'POST', headers: byOrigin, body: '{}' })).status, 200);
  });

  it('ends with its key on every gateway', async () => {
    const key = system.edge.keys.createKey();
    const { cookie } = await login(key);
    const requestKeys = (gateway: RunningGateway) => gateway.request('/keys', undefined, { headers: { cookie } });
    for (const gateway of [system, another]) assert.equal((await requestKeys(gateway)).status, 200);
    await system.edge.keys.revoke(key);
    for (const gateway of [system, another]) {
      await eventually(async () => assert.equal((await requestKeys(gateway)).status, 401));
    }
  });

  it('does not replace the secret of its key, even when the gateway saw the session first', async () => {
    const key = system.edge.keys.createKey();
    const { cookie } = await login(key);
    // The other gateway has cached this key through its session only.
    await eventually(async () => {
      const authenticateCalls = system.edge.callsOf(keysRpc.checkKey);
      assert.equal((await another.request('/keys', undefined, { headers: { cookie } })).status, 200);
      assert.equal(system.edge.callsOf(keysRpc.checkKey), authenticateCalls, 'remembered');
    });
    const wrong = system.edge.keys.withAnotherSecret(key);
    assert.equal((await another.request('/keys', wrong)).status, 401);
    assert.equal((await another.request('/keys', key)).status, 200);
    assert.equal((await another.request('/keys', undefined, { headers: { cookie } })).status, 200);
  });

  it('ends when it is deleted with its token: the cookie is removed', async () => {
    const session = await login(system.edge.keys.createKey());
    const refused = await atSession('DELETE', { cookie: session.cookie });
    assert.deepEqual([refused.status, refused.headers.getSetCookie()], [403, []]);
    for (const headers of [fromPage(session, system), fromPage(session, system), {}]) {
      const ended = await atSession('DELETE', headers);
      assert.equal(ended.status, 200);
      assert.match(
        ended.headers.getSetCookie()[0] ?? '',
        /^almanac_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/,
      );
    }
  });

  it('is refused after its logout by every gateway, also by one that starts later; other sessions continue', async () => {
    const key = system.edge.keys.createKey();
    const [session, other] = [await login(key), await login(key)];
    const statusAt = async (gateway: RunningGateway, { cookie }: { cookie: string }): Promise<number> => {
      const response = await gateway.request('/keys', undefined, { headers: { cookie } });
      await response.arrayBuffer();
      return response.status;
    };
    for (const gateway of [system, another]) assert.equal(await statusAt(gateway, session), 200);
    assert.equal((await atSession('DELETE', fromPage(session, system))).status, 200);
    assert.equal(await statusAt(system, session), 401);
    await eventually(async () => assert.equal(await statusAt(another, session), 401));
    const late = await system.another();
    assert.equal(await statusAt(late, session), 401);
    for (const gateway of [system, another, late]) assert.equal(await statusAt(gateway, other), 200);
  });

  it('is refused by another gateway while no events or heartbeats arrive there', async () => {
    const session = await login(system.edge.keys.createKey());
    const requestKeys = () => another.request('/keys', undefined, { headers: { cookie: session.cookie } });
    assert.equal((await requestKeys()).status, 200);
    system.edge.keys.heartbeat(false);
    try {
      assert.equal((await atSession('DELETE', fromPage(session, system))).status, 200);
      await eventually(async () => assert.equal((await requestKeys()).status, 401));
    } finally {
      system.edge.keys.heartbeat(true);
    }
  });
});

describe('a session signed with another secret', () => {
  it('is refused', async () => {
    const [one, other] = [
      await startSystem({ SESSION_SECRET: 'a'.repeat(32) }),
      await startSystem({ SESSION_SECRET: 'b'.repeat(32) }),
    ];
    try {
      const key = one.edge.keys.createKey();
      other.edge.keys.admit(key, 'pro');
      const headers = { authorization: `Bearer ${key.text}` };
      const [cookie = ''] = (
        await fetch(`${one.url}/auth/session`, { method: 'POST', headers })
      ).headers.getSetCookie();
      assert.equal(
        (await other.request('/keys', undefined, { headers: { cookie: cookie.split(';')[0] ?? '' } })).status,
        401,
      );
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });
});
