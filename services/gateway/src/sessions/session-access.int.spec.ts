import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Reply } from '@almanac/bus';
import { catalogRpc, commerceRpc, keysRpc } from '@almanac/contracts';
import { routes } from '../routes/routes.js';
import { type RunningGateway, startSystem, type TestSystem } from '../testing/gateway.js';
import { nameOf } from '../testing/service-stubs.js';
import { fromPage, openedSession, sessionClient } from '../testing/session-client.js';

describe('a session', () => {
  let system: TestSystem;
  let another: RunningGateway;
  before(async () => {
    system = await startSystem();
    another = await system.another();
    system.edge.handlers.set(nameOf(keysRpc.list), (_input, { account }) => ({ of: account }));
    for (const method of [keysRpc.create, keysRpc.revoke]) {
      system.edge.handlers.set(nameOf(method), (input, { account }) => ({ got: input, of: account }));
    }
    system.edge.handlers.set(nameOf(commerceRpc.plan), () => ({}));
  });
  after(() => system.stop());

  const { atSession, login, statusOf } = sessionClient(() => system);

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
