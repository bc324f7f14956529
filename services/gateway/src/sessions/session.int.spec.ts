import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Reply } from '@almanac/bus';
import { catalogRpc, commerceRpc, keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { routes } from '../routes/routes.js';
import { nameOf } from '../testing/service-stubs.js';
import { type RunningGateway, startSystem, type TestSystem } from '../testing/gateway.js';
import { fromPage, openedSession, sessionClient } from '../testing/session-client.js';

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
    system.edge.handlers.set(nameOf(commerceRpc.plan), () => ({}));
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

  it('is accepted among other cookies, but not when it was changed or has another signature', async () => {
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
    const foreign = await system.another({ SESSION_SECRET: 'b'.repeat(32) });
    assert.equal((await foreign.request('/keys', undefined, { headers: { cookie } })).status, 401);
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

  it('opens each endpoint for its account on every gateway', async () => {
    const key = system.edge.keys.createKey();
    const session = await login(key);
    const headers = fromPage(session, system);
    assert.deepEqual(await statusOf('/keys', { headers: { cookie: session.cookie } }), {
      status: 200,
      of: key.account,
    });
    const there = await another.request('/keys', undefined, { headers: { cookie: session.cookie } });
    assert.equal(there.status, 200);
    const created = await statusOf('/keys', { method: 'POST', headers, body: '{"name":"by page"}' });
    assert.deepEqual([created.status, created.of], [200, key.account]);
    const revoked = await statusOf('/keys/x', { method: 'DELETE', headers });
    assert.deepEqual([revoked.status, revoked.of], [200, key.account]);
    const refused = await Promise.all(
      routes.map(async ({ method, path }) => {
        const body = method === 'post' ? { body: '{}' } : {};
        const answer = await system.request(path.replaceAll(/:\w+/g, 'X'), undefined, { method, headers, ...body });
        await answer.arrayBuffer();
        return [401, 403].includes(answer.status) ? [`${method} ${path}`] : [];
      }),
    );
    assert.deepEqual(refused.flat(), []);
  });

  it('counts for the limit of its account as its key does', async () => {
    const key = system.edge.keys.createKey();
    const { cookie } = await login(key);
    const remaining = async (headers: Record<string, string>): Promise<number> => {
      const response = await system.request('/plan', undefined, { headers });
      await response.arrayBuffer();
      return Number(response.headers.get('ratelimit-remaining'));
    };
    const left = await remaining({ authorization: `Bearer ${key.text}` });
    assert.equal(await remaining({ cookie }), left - 1);
  });

  it('does not read for a page of another site', async () => {
    const { cookie } = await login(system.edge.keys.createKey());
    for (const site of ['cross-site', 'same-site']) {
      const headers = { cookie, 'sec-fetch-site': site };
      const { status, code } = await statusOf('/keys', { headers });
      assert.deepEqual([status, code], [403, 'csrf_refused'], site);
      assert.equal((await atSession('GET', headers)).status, 403, site);
    }
    for (const site of ['same-origin', 'none']) {
      assert.equal((await statusOf('/keys', { headers: { cookie, 'sec-fetch-site': site } })).status, 200, site);
    }
  });

  it('says who it is and repeats its token, for a page that was loaded again', async () => {
    const key = system.edge.keys.createKey();
    const { cookie, csrf_token, expires_ts } = await login(key);
    const response = await atSession('GET', { cookie });
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(openedSession.parse(await response.json()), {
      csrf_token,
      expires_ts,
      key_id: key.id,
      plan: 'pro',
      as_of: null,
    });
    for (const none of [{}, { cookie: `${cookie}x` }]) assert.equal((await atSession('GET', none)).status, 401);
    // The headers of a page in another origin are never allowed, so it cannot read the token.
    const elsewhere = await atSession('GET', { cookie, origin: 'https://evil.example' });
    assert.equal(elsewhere.headers.get('access-control-allow-origin'), null);
  });

  it('of a key with as_of reads as of its time, and no later', async () => {
    const key = system.edge.keys.createKey();
    const asOf = 1_771_993_500;
    system.edge.keys.fence(key, asOf);
    const { cookie } = await login(key);
    const seen: unknown[] = [];
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), (input) => {
      seen.push(catalogRpc.marketDetail.input.parse(input).as_of);
      return Reply.json({}, { ticker: 'T-1', version: 1, asOf });
    });
    assert.equal((await statusOf('/markets/T-1', { headers: { cookie } })).status, 200);
    assert.deepEqual(seen, [asOf]);
    const later = await statusOf(`/markets/T-1?as_of=${asOf + 1}`, { headers: { cookie } });
    assert.deepEqual([later.status, later.code], [403, 'as_of_fenced']);
    assert.equal((await statusOf('/cart', { headers: { cookie } })).code, 'as_of_fenced');
    assert.equal(openedSession.parse(await (await atSession('GET', { cookie })).json()).as_of, asOf);
  });
});
