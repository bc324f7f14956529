import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Reply } from '@almanac/bus';
import { catalogRpc, commerceRpc, exportRpc, keysRpc, type Notice, notFound, timeseriesRpc } from '@almanac/contracts';
import { z } from 'zod';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, type TestSystem } from '../testing/gateway.js';

const noticed = z.looseObject({
  notices: z.array(z.looseObject({ code: z.string(), nearest: z.string().nullable() })).default([]),
});
const refused = z.looseObject({
  detail: z.array(z.looseObject({ type: z.string(), loc: z.array(z.string()), msg: z.string() })),
  code: z.string(),
  request_id: z.string(),
});
const strict = { prefer: 'handling=strict' };

describe('notices on a request', () => {
  let system: TestSystem;
  let key: { account: string; id: string; text: string };
  before(async () => {
    system = await startSystem();
    key = system.edge.keys.createKey();
    const echo = (input: unknown): unknown => ({ got: input });
    for (const contract of [
      catalogRpc.search,
      catalogRpc.listMarkets,
      exportRpc.create,
      exportRpc.list,
      exportRpc.quote,
      commerceRpc.addToCart,
      commerceRpc.checkout,
      commerceRpc.upgrade,
      commerceRpc.portal,
      keysRpc.create,
    ]) {
      system.edge.handlers.set(nameOf(contract), echo);
    }
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), () => ({ count: 0 }));
  });
  after(() => system.stop());

  const get = (path: string, headers: Record<string, string> = {}) => system.request(path, key, { headers });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    system.request(path, key, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const noticesOf = async (response: Response) => noticed.parse(await response.json()).notices;
  const problemsOf = async (response: Response) => {
    const body = refused.parse(await response.json());
    assert.deepEqual([response.status, body.code], [422, 'validation_failed']);
    assert.equal(body.request_id, response.headers.get('x-request-id'));
    return body.detail;
  };

  it('name an unknown parameter in the body and in a header, with the nearest one', async () => {
    const response = await get('/search?q=a&limt=5&nonsense=1');
    assert.equal(response.status, 200);
    assert.match(response.headers.get('vary') ?? '', /Prefer/);
    const known = 'Known: q, category, status, from_ts, to_ts, offset, limit, as_of.';
    const [limt, nonsense] = [
      'The query parameter limt does not exist and was ignored. Did you mean limit?',
      `The query parameter nonsense does not exist and was ignored. ${known}`,
    ];
    assert.equal(
      response.headers.get('almanac-notice'),
      `unknown_parameter;loc="query.limt";nearest="limit";detail="${limt}", ` +
        `unknown_parameter;loc="query.nonsense";detail="${nonsense}"`,
    );
    assert.deepEqual(await response.json(), {
      notices: [
        { code: 'unknown_parameter', detail: limt, loc: ['query', 'limt'], nearest: 'limit' },
        { code: 'unknown_parameter', detail: nonsense, loc: ['query', 'nonsense'], nearest: null },
      ],
      got: { q: 'a', offset: 0, limit: 40 },
    });
    const without = await get('/search?q=a&limit=5&&');
    assert.equal(without.headers.get('almanac-notice'), null);
    assert.doesNotMatch(without.headers.get('vary') ?? '', /Prefer/);
    assert.deepEqual(await without.json(), { got: { q: 'a', offset: 0, limit: 5 } });
  });

  it('name an unknown parameter of an endpoint without parameters', async () => {
    const [notice] = await noticesOf(await get('/exports/formats?limit=5'));
    assert.deepEqual([notice?.code, notice?.nearest], ['unknown_parameter', null]);
  });

  it('name an unknown value of a filter, and no empty one', async () => {
    for (const path of ['/search', '/markets']) {
      const [notice] = await noticesOf(await get(`${path}?status=Live`));
      assert.deepEqual(
        [notice?.code, notice?.nearest, notice?.['loc']],
        ['unknown_value', 'live', ['query', 'status']],
      );
      const [other] = await noticesOf(await get(`${path}?status=open`));
      assert.match(String(other?.['detail']), /Known: live, closed, finalized\.$/);
      for (const status of ['', 'live', 'closed', 'finalized']) {
        assert.deepEqual(await noticesOf(await get(`${path}?status=${status}`)), []);
      }
    }
    const [complete] = await noticesOf(await get('/exports?status=complete'));
    assert.match(String(complete?.['detail']), /Known: pending, ready, failed, cancelled\.$/);
    for (const status of ['', 'pending', 'ready', 'failed', 'cancelled']) {
      assert.deepEqual(await noticesOf(await get(`/exports?status=${status}`)), []);
    }
  });

  it('name a media type that no answer has, but none that is one of several', async () => {
    const response = await get('/search', { accept: 'text/csv' });
    assert.equal(response.headers.get('content-type'), 'application/json');
    const [notice] = await noticesOf(response);
    assert.deepEqual([notice?.code, notice?.['loc']], ['unknown_media_type', ['header', 'accept']]);
    const [parquet] = await noticesOf(await get('/markets/T/snapshots', { accept: 'application/vnd.apache.parque' }));
    assert.equal(parquet?.nearest, 'application/vnd.apache.parquet');
    for (const accept of [
      'application/json',
      'text/html,*/*;q=0.8',
      'application/json; charset=utf-8',
      'x/y, application/json',
    ]) {
      assert.equal((await get('/search', { accept })).headers.get('almanac-notice'), null, accept);
    }
  });

  it('are beside the faults of a 422, which stay the same', async () => {
    const init = { method: 'POST', body: '{"event":"E"}', headers: { 'content-type': 'text/plain' } };
    const response = await system.request('/exports', key, init);
    assert.match(response.headers.get('almanac-notice') ?? '', /Send Content-Type: application\/json\./);
    const { detail, notices } = refused.extend(noticed.shape).parse(await response.json());
    assert.deepEqual([detail.length, notices.map(({ code }) => code)], [1, ['content_type']]);
  });

  it('name an unknown body field where nothing is spent', async () => {
    const [notice] = await noticesOf(await post('/keys', { nam: 'mine' }));
    assert.deepEqual([notice?.code, notice?.nearest], ['unknown_field', 'name']);
  });

  it('stay ASCII and short, whatever the request has', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `日本"\\%0A${index}${'x'.repeat(30)}`);
    const response = await get(`/search?${names.map((name) => `${encodeURIComponent(name)}=1`).join('&')}`);
    const header = response.headers.get('almanac-notice') ?? '';
    assert.match(header, /^[\x20-\x7e]+$/);
    assert.ok(header.length < 8_000, String(header.length));
    const notices = await noticesOf(response);
    assert.deepEqual([notices.length, notices.at(-1)?.code], [11, 'notices_left_out']);
    assert.equal((await get(`/search?${'y'.repeat(20_000)}=1`)).status, 200);
  });

  it('are errors with Prefer: handling=strict, which the answer confirms', async () => {
    const response = await get('/search?limt=5&status=Live&limit=0', { ...strict, accept: 'text/csv' });
    assert.equal(response.headers.get('preference-applied'), 'handling=strict');
    assert.match(response.headers.get('vary') ?? '', /Prefer/);
    const problems = await problemsOf(response);
    assert.deepEqual(
      problems.map(({ type, loc }) => [type, loc.join('.')]),
      [
        ['greater_than_equal', 'query.limit'],
        ['literal_error', 'query.status'],
        ['extra_forbidden', 'query.limt'],
        ['literal_error', 'header.accept'],
      ],
    );
    assert.match(problems[2]?.msg ?? '', /Did you mean limit\?$/);
    assert.equal((await get('/search?limit=5', strict)).headers.get('preference-applied'), 'handling=strict');
    for (const prefer of ['respond-async, handling=strict; wait=5', 'Handling="strict"']) {
      assert.equal((await get('/search?limt=5', { prefer })).status, 422, prefer);
    }
    for (const prefer of ['handling=lenient', 'handling=lenient, handling=strict', 'strict', 'x-handling=strict']) {
      assert.equal((await get('/search?limt=5', { prefer })).status, 200, prefer);
    }
    const fields = await problemsOf(await post('/keys', { nam: 'mine' }, strict));
    assert.deepEqual(fields[0]?.loc, ['body', 'nam']);
  });

  it('do not repeat an API key that was sent in the wrong place', async () => {
    const response = await get(`/search?api_key=${key.text}`, strict);
    assert.equal(response.status, 422);
    assert.ok(!(await response.text()).includes(key.text));
  });

  it('never let a request that spends something pass with an unknown body field', async () => {
    for (const [path, body, contract, field, nearest] of [
      ['/exports', { event: 'E', formt: 'csv' }, exportRpc.create, 'formt', 'format'],
      ['/exports?dry_run=true', { event: 'E', stream: [] }, exportRpc.quote, 'stream', 'streams'],
      ['/cart/event-exports', { event: 'E', events: 'E' }, commerceRpc.addToCart, 'events', 'event'],
      ['/billing/upgrade', { tier_id: 'pro', tier: 'pro' }, commerceRpc.upgrade, 'tier', 'tier_id'],
      ['/cart/checkout', { event: 'E' }, commerceRpc.checkout, 'event', undefined],
      ['/billing/portal', { event: 'E' }, commerceRpc.portal, 'event', undefined],
    ] as const) {
      const [problem] = await problemsOf(await post(path, body));
      assert.deepEqual([problem?.type, problem?.loc], ['extra_forbidden', ['body', field]], path);
      assert.equal(z.object({ nearest: z.string().optional() }).parse(problem?.['ctx']).nearest, nearest, path);
      assert.equal(system.edge.callsOf(contract), 0, path);
    }
    const [problem] = await problemsOf(await post('/exports?dryrun=true', { event: 'E' }));
    assert.deepEqual(problem?.loc, ['query', 'dryrun']);
    assert.equal(system.edge.callsOf(exportRpc.create), 0);
    for (const body of ['', '{}', '[]', 'x', ' ']) assert.equal((await post('/cart/checkout', body)).status, 200, body);
    assert.equal((await post('/exports?nonsense=1', { event: 'E' })).status, 200);
  });

  it('of a service on an unknown filter value are errors with strict handling', async () => {
    const unknown: Notice = {
      code: 'unknown_value',
      detail: 'No such series.',
      loc: ['query', 'series'],
      nearest: 'A',
    };
    system.edge.handlers.set(nameOf(catalogRpc.listMarkets), (input) =>
      Reply.json({ got: input }, { notices: [unknown] }),
    );
    const [notice] = await noticesOf(await get('/markets?series=a'));
    assert.equal(notice?.nearest, 'A');
    const [problem] = await problemsOf(await get('/markets?series=a', strict));
    assert.deepEqual([problem?.type, problem?.loc, problem?.['input']], ['value_error', ['query', 'series'], 'a']);
  });

  it('of a 404 name the nearest id, with the same status and code with strict handling', async () => {
    system.edge.handlers.set(nameOf(catalogRpc.marketDetail), () => {
      throw notFound('market_not_found', 'kxbtc-1');
    });
    system.edge.handlers.set(nameOf(catalogRpc.nearestId), () => ({ nearest: 'KXBTC-1' }));
    const response = await get('/markets/kxbtc-1');
    assert.equal(response.status, 404);
    assert.match(response.headers.get('almanac-notice') ?? '', /^unknown_id;loc="path\.ticker";nearest="KXBTC-1"/);
    const [notice] = await noticesOf(response);
    assert.deepEqual([notice?.code, notice?.nearest], ['unknown_id', 'KXBTC-1']);
    const strictAnswer = await get('/markets/kxbtc-1', strict);
    const { code, notices } = z
      .object({ code: z.string(), notices: z.array(z.unknown()) })
      .parse(await strictAnswer.json());
    assert.deepEqual([strictAnswer.status, code, notices], [404, 'market_not_found', [notice]]);
    system.edge.handlers.set(nameOf(timeseriesRpc.marketsAt), () => {
      throw notFound('market_not_found', 'kxbtc-1');
    });
    const [listed] = await noticesOf(await post('/markets/at', { tickers: ['KXBTC-2', 'kxbtc-1'], at_ts: [1] }));
    assert.deepEqual([listed?.['loc'], listed?.nearest], [['body', 'tickers'], 'KXBTC-1']);
    system.edge.handlers.set(nameOf(catalogRpc.nearestId), () => {
      throw new Error('the catalogue is broken');
    });
    assert.equal((await get('/markets/kxbtc-1')).status, 404);
  });
});
