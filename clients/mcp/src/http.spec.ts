import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type RunningHttp, serveHttp } from './http.js';
import { SettingsError } from './settings.js';
import { busyReply, reply, type StubApi, stubApi } from './testing/agent.js';

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | undefined;
}

const post = (url: string, headers: Readonly<Record<string, string>>) => {
  const defaults = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return request(url, { method: 'POST', headers: { ...defaults, ...headers } });
};

/** Unlike `fetch`, this can send any Host and Origin. */
const send = (url: string, headers: Readonly<Record<string, string>>, body = ''): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sent = post(url, headers).on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      const challenge = response.headers['www-authenticate'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, challenge }));
    });
    sent.on('error', reject).end(body);
  });

const message = (method: string, params?: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const listTools = message('tools/list');
const callSearch = message('tools/call', { name: 'search', arguments: {} });
const key = { Authorization: 'Bearer ak' };
const refusal = { status: 401, body: { code: 'unauthenticated', detail: 'x', request_id: 'r' } };

describe('the MCP server on HTTP', () => {
  const local = { host: '127.0.0.1', port: 0, asOf: undefined, allowedHosts: [], allowedOrigins: [] };
  let api: StubApi;
  let answer: (response: ServerResponse) => void;
  let running: RunningHttp;
  const keys: (string | undefined)[] = [];
  const lines: string[] = [];
  const serve = (settings: Partial<Parameters<typeof serveHttp>[0]> = {}): Promise<RunningHttp> =>
    serveHttp({ ...local, baseUrl: api.url, ...settings }, (line) => lines.push(line));
  before(async () => {
    answer = (response) => reply(response, refusal);
    api = await stubApi((_, response, { authorization }) => {
      keys.push(authorization);
      answer(response);
    });
    running = await serve();
  });
  after(async () => {
    await running.stop();
    await api.close();
  });

  it('uses the key of each request, shows the error of the API, and logs no key', async () => {
    const made = ['ak_one_of_this_test', 'ak_other_of_this_test'].map((each) => `Bearer ${each}`);
    const answers = await Promise.all(made.map((Authorization) => send(running.url, { Authorization }, callSearch)));
    for (const { status, text } of answers) assert.deepEqual([status, /unauthenticated/.test(text)], [200, true], text);
    assert.deepEqual(
      keys.toSorted((one = '', other = '') => one.localeCompare(other)),
      made,
    );
    assert.deepEqual(lines, []);
  });

  it('refuses a request without a key', async () => {
    const { status, challenge } = await send(running.url, {}, listTools);
    assert.deepEqual([status, challenge], [401, 'Bearer']);
  });

  it('refuses pages of other sites, and other names of this machine', async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await send(running.url, { ...key, ...headers }, listTools)).status;
    assert.equal(await statusOf({}), 200);
    assert.equal(await statusOf({ Origin: 'http://localhost:3000' }), 200);
    assert.equal(await statusOf({ Origin: 'https://evil.example' }), 403);
    assert.equal(await statusOf({ Origin: 'null' }), 403);
    assert.equal(await statusOf({ Host: 'evil.example' }), 403);
  });

  it('answers the browser of an allowed page, and of no other', async () => {
    const preflight = (origin: string) =>
      fetch(running.url, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization',
        },
      });
    const allowed = await preflight('http://localhost:6274');
    const headers = ['access-control-allow-origin', 'access-control-allow-headers'].map((name) =>
      allowed.headers.get(name),
    );
    assert.deepEqual([allowed.status, ...headers], [204, 'http://localhost:6274', 'authorization']);
    const refused = await preflight('https://evil.example');
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [403, null]);
  });

  it('allows the names of its settings', async () => {
    const named = await serve({ allowedHosts: ['mcp.example.com'], allowedOrigins: ['chat.example.com'] });
    try {
      const headers = { ...key, Host: 'mcp.example.com', Origin: 'https://chat.example.com' };
      assert.equal((await send(named.url, headers, listTools)).status, 200);
    } finally {
      await named.stop();
    }
  });

  it('refuses large bodies, other paths and what is not JSON', async () => {
    assert.equal((await send(running.url, key, 'x'.repeat(300_000))).status, 413);
    assert.equal((await send(new URL('/other', running.url).href, key, listTools)).status, 404);
    assert.equal((await send(running.url, key, '{')).status, 400);
  });

  it('does not start on a port that is in use', async () => {
    await assert.rejects(serve({ port: Number(new URL(running.url).port) }), (error: Error) => {
      assert.ok(error instanceof SettingsError);
      assert.match(error.message, /Cannot listen on port/);
      return true;
    });
  });

  it('answers running calls before it stops, and ends those of a caller that has gone', async () => {
    const callsBefore = api.calls.length;
    const arrival = () => new Promise<ServerResponse>((resolve) => (answer = resolve));
    const own = await serve();
    const first = arrival();
    const gone = post(own.url, key);
    gone.on('error', () => undefined).end(callSearch);
    const closed = once(await first, 'close');
    gone.destroy();
    await closed;
    const second = arrival();
    const answered = send(own.url, key, callSearch);
    const busy = await second;
    const third = arrival();
    reply(busy, busyReply);
    const response = await third;
    // Had the first call ended by its own timeout, it would have been tried again within this second.
    assert.equal(api.calls.length - callsBefore, 3);
    const stopped = own.stop();
    reply(response, refusal);
    assert.match((await answered).text, /unauthenticated/);
    await stopped;
  });
});
