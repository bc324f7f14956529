import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { Almanac } from './client.js';
import { AlmanacError, ApiError, ConnectionError } from './errors.js';
import type { AlmanacOptions } from './http/settings.js';
import { type Answer, cut, json, refusal, type StubServer, stubServer } from './testing/stub-server.js';

const plan = { plan: { id: 'free' } };
const servers: StubServer[] = [];

const serve = async (...answers: readonly Answer[]): Promise<StubServer> => {
  const server = await stubServer(...answers);
  servers.push(server);
  return server;
};
const clientOf = ({ url }: { url: string }, options: AlmanacOptions = {}): Almanac =>
  new Almanac({ apiKey: 'ak_test', baseUrl: url, ...options });
const errorOf = async (call: Promise<unknown>): Promise<AlmanacError> => {
  const error: unknown = await call.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AlmanacError, String(error));
  return error;
};

describe('a client', () => {
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  it('repeats a call after 429, 503 and a lost connection, with one Idempotency-Key', async () => {
    const soon = { 'Retry-After': '0' };
    const answers = [
      refusal(429, 'rate_limited', soon),
      refusal(503, 'unavailable', soon),
      cut,
      json(200, { id: 'k' }),
    ];
    const server = await serve(...answers);
    await clientOf(server).keys.create({ name: 'mine' });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    assert.equal(keys.length, 4);
    assert.equal(new Set(keys).size, 1);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
    await clientOf(server).keys.create({ name: 'mine' });
    assert.notEqual(server.requests.at(-1)?.headers['idempotency-key'], keys[0]);
  });

  it('passes on each JSON answer as the server wrote it, and no failed attempt', async () => {
    const text = '{"plan":{"id":"free"},"exact":0.10000000000000000001}';
    const server = await serve(refusal(503, 'unavailable', { 'Retry-After': '0' }), (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
    });
    const seen: object[] = [];
    await clientOf(server, { onAnswer: (answer) => seen.push(answer) }).plan.get();
    assert.deepEqual(seen, [{ url: `${server.url}/api/v1/plan`, text }]);
  });

  it('calls with the session of a page in place of a key', async () => {
    const server = await serve(json(200, plan));
    const tokens = ['first', 'second'];
    const inPage = new Almanac({ baseUrl: server.url, session: { csrfToken: () => tokens.shift() } });
    await inPage.plan.get();
    await inPage.keys.revoke('k1');
    await inPage.keys.revoke('k2');
    const sent = server.requests.map(({ headers }) => [headers['authorization'], headers['x-csrf-token']]);
    assert.deepEqual(sent, [
      [undefined, undefined],
      [undefined, 'first'],
      [undefined, 'second'],
    ]);
    const both = { apiKey: 'ak_test', session: { csrfToken: () => undefined } };
    assert.throws(() => clientOf(server, both), { code: 'invalid_options' });
  });

  it('reads the coverage of a market only if the caller does not have it', async () => {
    const gap = { start_ts: 5, end_ts: 15, reason: 'restart', missing: 'all' } as const;
    const coverage = {
      first_print_ts: 0,
      last_print_ts: 99,
      has_l2: false,
      prints: 9,
      covered_s: null,
      covered_share: null,
      books_covered_s: null,
      gaps: [gap],
      gaps_n: 1,
      gap_s: 10,
      spans: [],
      spans_n: 0,
    };
    const server = await serve(json(200, { candles: [], has_more: false, start_ts: 10, end_ts: 20 }));
    const page = await clientOf(server).markets.candles('M', { points: 10 }, { coverage }).firstPage();
    assert.deepEqual([page.gaps, server.requests.length], [[gap], 1]);
  });

  it('repeats an answer whose body was cut off', async () => {
    const half = await serve(
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
        response.write('{"plan":', () => response.destroy());
      },
      json(200, plan),
    );
    assert.deepEqual(await clientOf(half).plan.get(), plan);
  });

  it('ends after the limit of retries with the last error, and never repeats a refusal', async () => {
    const busy = await serve(refusal(503, 'unavailable', { 'Retry-After': '0' }));
    const error = await errorOf(clientOf(busy, { maxRetries: 2 }).plan.get());
    assert.equal(error.code, 'unavailable');
    assert.equal(busy.requests.length, 3);
    const broken = await serve(refusal(500, 'internal'));
    await errorOf(clientOf(broken).plan.get());
    assert.equal(broken.requests.length, 1);
  });

  it('throws at once when the server asks for a longer pause than the deadline', async () => {
    const server = await serve(refusal(429, 'export_daily_limit', { 'Retry-After': '25200' }));
    const error = await errorOf(clientOf(server).exports.create({ event: 'E' }));
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.retryAfter, error.request_id], ['export_daily_limit', 25_200, 'r-1']);
    assert.equal(server.requests.length, 1);
  });

  it('says at its deadline why the last attempt failed', async () => {
    const error = await errorOf(clientOf(await serve(cut), { maxRetries: 20, deadlineMs: 2_000 }).plan.get());
    assert.equal(error.code, 'deadline_exceeded');
    assert.match(error.detail, /within 2000 ms\. The last attempt failed: No answer from http/);
    assert.match(error.remedy, /^Raise deadlineMs\. Check that the server runs/);
  });

  it('names the origin of a page only where a failure has no reason, as in browsers', async () => {
    const client = (cause: Error): Almanac =>
      clientOf({ url: 'http://127.0.0.1:1' }, { maxRetries: 0, fetch: () => Promise.reject(cause) });
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    assert.doesNotMatch((await errorOf(client(refused).plan.get())).remedy, /CORS_ORIGINS/);
    assert.match((await errorOf(client(new TypeError('Failed to fetch')).plan.get())).remedy, /CORS_ORIGINS/);
  });

  it('ends by its deadline, by its timeout and by the signal of the caller', async () => {
    const silent = await serve(() => undefined);
    const client = clientOf(silent);
    assert.equal((await errorOf(client.plan.get({ deadlineMs: 50 }))).code, 'deadline_exceeded');
    assert.equal((await errorOf(client.plan.get({ timeoutMs: 50, maxRetries: 0 }))).code, 'connection_failed');
    const controller = new AbortController();
    const reason = new Error('stopped');
    const call = client.plan.get({ signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(call, reason);
    await assert.rejects(client.plan.get({ signal: controller.signal }), reason);
  });

  it('recognises another server by HTML or other JSON', async () => {
    const html = await serve((response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Log in'));
    const error = await errorOf(clientOf(html).plan.get());
    assert.ok(error instanceof ConnectionError && error.code === 'not_almanac');
    assert.match(error.detail, /text\/html.*<h1>Log in/);
    assert.match(error.remedy, /baseUrl/);
    const missing = await serve(json(404, { error: 'no such page' }));
    assert.equal((await errorOf(clientOf(missing).plan.get())).code, 'not_almanac');
    const other = await serve(json(200, { items: [] }));
    assert.equal((await errorOf(clientOf(other).markets.list().toArray())).code, 'not_almanac');
  });

  it('recognises a server of another protocol', async () => {
    const foreign = createServer((socket) => {
      // The client may hang up first.
      socket.on('error', () => undefined).end('220 mail.example ESMTP\r\n');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    try {
      const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
      assert.equal((await errorOf(clientOf({ url }).plan.get())).code, 'not_almanac');
    } finally {
      foreign.close();
    }
  });

  it('counts a date of Retry-After from the clock of the server', async () => {
    const dated = { Date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'Retry-After': 'Wed, 21 Oct 2015 08:28:00 GMT' };
    const error = await errorOf(clientOf(await serve(refusal(503, 'unavailable', dated))).plan.get());
    assert.ok(error instanceof ApiError);
    assert.equal(error.retryAfter, 3_600);
  });

  it('says when its clock is off', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    const server = await serve(refusal(400, 'as_of_in_future', { Date: date }));
    const error = await errorOf(clientOf(server).markets.get('T', { as_of: 5 }));
    assert.match(error.remedy, /Your clock is 3\d{3} s ahead of the clock of the server/);
  });

  it('refuses options that cannot work, and never shows the key', async () => {
    const baseUrl = 'http://127.0.0.1:8080';
    const wrong: AlmanacOptions[] = [
      { apiKey: '', baseUrl },
      { apiKey: 'ak_se cret', baseUrl },
      { apiKey: 'ak_secret', baseUrl: 'almanac' },
      { apiKey: 'ak_secret', baseUrl: 'ftp://almanac' },
      { apiKey: 'ak_secret', baseUrl, timeoutMs: 0 },
      { apiKey: 'ak_secret', baseUrl, maxRetries: -1 },
      { apiKey: 'ak_secret', baseUrl, as_of: 1_771_993_500_000 },
    ];
    for (const options of wrong) {
      assert.throws(
        () => new Almanac(options),
        (error) => error instanceof AlmanacError && error.code === 'invalid_options' && !/se ?cret/.test(error.message),
      );
    }
    const client = new Almanac({ apiKey: 'ak', baseUrl });
    assert.equal((await errorOf(client.markets.get(''))).code, 'invalid_options');
    assert.equal((await errorOf(client.markets.get('..'))).code, 'invalid_options');
    assert.equal((await errorOf(client.markets.get('half of a pair: \ud800'))).code, 'invalid_options');
  });

  it('finds the server with or without /api/v1, and behind the path of a proxy', async () => {
    const server = await serve(json(200, plan));
    for (const path of ['', '/', '/api/v1', '/api/v1/', '/archive']) {
      await clientOf({ url: server.url + path }).plan.get();
    }
    const paths = server.requests.map(({ url }) => url);
    assert.deepEqual(paths, [...Array.from({ length: 4 }, () => '/api/v1/plan'), '/archive/api/v1/plan']);
  });

  it('with as_of sends it everywhere, lowers it on request, and refuses what cannot answer as of a time', async () => {
    const server = await serve(json(200, { snapshots: [] }));
    const client = clientOf(server, { as_of: new Date(1_000_500) });
    await client.markets.get('T');
    await client.markets.get('T', { as_of: 900 });
    await client.markets.at({ tickers: ['T'], at_ts: [1] });
    const [first, second, third] = server.requests;
    assert.deepEqual([first?.url, second?.url], ['/api/v1/markets/T?as_of=1000.5', '/api/v1/markets/T?as_of=900']);
    assert.deepEqual(JSON.parse(third?.body ?? ''), { tickers: ['T'], at_ts: [1], as_of: 1_000.5 });
    assert.equal((await errorOf(client.markets.get('T', { as_of: 1_001 }))).code, 'invalid_options');
    await client.exports.create({ event: 'E' });
    assert.equal((JSON.parse(server.requests[3]?.body ?? '') as { as_of: unknown }).as_of, 1_000.5);
    assert.equal((await errorOf(client.keys.create({ name: 'K' }))).code, 'as_of_unsupported');
    assert.equal(server.requests.length, 4);
  });
});
