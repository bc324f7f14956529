import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { Almanac } from '@almanac/client';
import { clientKinds, connectHttp, errorOf, program } from './connect.js';
import { callEveryTool, created } from './every-tool.js';
import { type McpHarness, startMcpHarness } from './harness.js';

interface Endpoint {
  readonly url: string;
  readonly process: ChildProcess;
  /** What it has written to its log. */
  log(): string;
  stop(): Promise<number | null>;
}

const startEndpoint = async (variables: Readonly<Record<string, string>>, port = '0'): Promise<Endpoint> => {
  const args = ['--enable-source-maps', program, '--http', '--port', port];
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  child.stdout.on('data', (chunk) => lines.push(String(chunk)));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(lines.join('\n'))));
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const listening = /listens on (\S+)$/.exec(line)?.[1];
      if (listening !== undefined) resolve(listening);
    });
  });
  return {
    url,
    process: child,
    log: () => lines.join('\n'),
    stop: async () => {
      if (child.exitCode !== null) return child.exitCode;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
};

interface Sent {
  readonly status: number;
  readonly text: string;
  readonly challenge: string | undefined;
}

/** Unlike `fetch`, this can send any Host and Origin. */
const send = (url: string, headers: Readonly<Record<string, string>>, body = ''): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const defaults = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const sent = request(url, { method: 'POST', headers: { ...defaults, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      const challenge = response.headers['www-authenticate'];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, challenge }));
    });
    sent.on('error', reject).end(body);
  });

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const callSearch = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search', arguments: {} },
});

/** Well below the 30 seconds after which the client gives up an attempt. */
const attemptMs = 20_000;

describe('the MCP server on HTTP', () => {
  let running: McpHarness;
  let endpoint: Endpoint;
  before(async () => {
    running = await startMcpHarness();
    endpoint = await startEndpoint({ ALMANAC_BASE_URL: running.baseUrl });
  });
  after(async () => {
    await endpoint.stop();
    await running.stop();
  });

  for (const kind of clientKinds) {
    it(`lists every tool and answers its calls (${kind})`, async () => {
      const key = await running.key('full_book');
      const agent = await connectHttp(endpoint.url, key, kind);
      try {
        assert.equal((await callEveryTool(agent, running.fixture)).length, 10);
      } finally {
        await agent.close();
      }
      assert.ok(!endpoint.log().includes(key));
    });
  }

  it('uses the key of each request', async () => {
    const { event } = running.fixture;
    const keys = await Promise.all([running.key('full_book'), running.key('full_book')]);
    const made = await Promise.all(
      keys.map(async (key) => {
        const agent = await connectHttp(endpoint.url, key);
        try {
          return created.parse(await agent.data('create_export', { event })).export.id;
        } finally {
          await agent.close();
        }
      }),
    );
    for (const [at, apiKey] of keys.entries()) {
      const listed = await new Almanac({ baseUrl: running.baseUrl, apiKey }).exports.list().toArray();
      assert.deepEqual(
        listed.map(({ id }) => id),
        [made[at]],
      );
    }
  });

  it('has the error of the API for a wrong key, and writes no key to its log', async () => {
    const secret = 'ak_wrong_key_of_this_test';
    const agent = await connectHttp(endpoint.url, secret);
    try {
      assert.equal(errorOf(await agent.call('search', { q: 'x' })).code, 'unauthenticated');
    } finally {
      await agent.close();
    }
    assert.ok(!endpoint.log().includes(secret));
  });

  it('refuses a request without a key', async () => {
    const { status, challenge } = await send(endpoint.url, {}, listTools);
    assert.deepEqual([status, challenge], [401, 'Bearer']);
  });

  it('refuses pages of other sites, and other names of this machine', async () => {
    const key = { Authorization: 'Bearer ak' };
    const statusOf = async (headers: Record<string, string>) =>
      (await send(endpoint.url, { ...key, ...headers }, listTools)).status;
    assert.equal(await statusOf({}), 200);
    assert.equal(await statusOf({ Origin: 'http://localhost:3000' }), 200);
    assert.equal(await statusOf({ Origin: 'https://evil.example' }), 403);
    assert.equal(await statusOf({ Origin: 'null' }), 403);
    assert.equal(await statusOf({ Host: 'evil.example' }), 403);
  });

  it('answers the browser of an allowed page, and of no other', async () => {
    const preflight = (origin: string) =>
      fetch(endpoint.url, {
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
    const named = await startEndpoint({
      ALMANAC_BASE_URL: running.baseUrl,
      MCP_ALLOWED_HOSTS: 'mcp.example.com',
      MCP_ALLOWED_ORIGINS: 'chat.example.com',
    });
    try {
      const headers = { Authorization: 'Bearer ak', Host: 'mcp.example.com', Origin: 'https://chat.example.com' };
      assert.equal((await send(named.url, headers, listTools)).status, 200);
    } finally {
      await named.stop();
    }
  });

  it('refuses large bodies, other paths and what is not JSON', async () => {
    const headers = { Authorization: 'Bearer ak' };
    assert.equal((await send(endpoint.url, headers, 'x'.repeat(300_000))).status, 413);
    assert.equal((await send(new URL('/other', endpoint.url).href, headers, listTools)).status, 404);
    assert.equal((await send(endpoint.url, headers, '{')).status, 400);
  });

  it('does not start on a port that is in use', async () => {
    const { port } = new URL(endpoint.url);
    await assert.rejects(startEndpoint({ ALMANAC_BASE_URL: running.baseUrl }, port), /Cannot listen on port/);
  });

  it('pins every caller to ALMANAC_AS_OF', async () => {
    const asOf = Math.floor((running.fixture.openTs + running.fixture.closeTs) / 2);
    const pinned = await startEndpoint({ ALMANAC_BASE_URL: running.baseUrl, ALMANAC_AS_OF: String(asOf) });
    try {
      const agent = await connectHttp(pinned.url, await running.key('full_book'), '2026-07-28');
      const { market, as_of } = await agent.data('get_market', { ticker: running.fixture.ticker });
      await agent.close();
      assert.deepEqual([as_of, (market as { result: unknown }).result], [asOf, null]);
    } finally {
      await pinned.stop();
    }
  });

  it('answers running calls before it stops, and ends those of a caller that has gone', async () => {
    const waiting: (() => void)[] = [];
    const requests: Promise<unknown>[] = [];
    const arrivals: (() => void)[] = [];
    const slow = createServer((_, response) => {
      requests.push(once(response, 'close'));
      waiting.push(() =>
        response
          .writeHead(401, { 'Content-Type': 'application/json' })
          .end('{"code":"unauthenticated","detail":"x","request_id":"r"}'),
      );
      arrivals.shift()?.();
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const arrival = () => new Promise<void>((resolve) => arrivals.push(resolve));
    const ALMANAC_BASE_URL = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const own = await startEndpoint({ ALMANAC_BASE_URL });
    try {
      const first = arrival();
      const gone = request(own.url, {
        method: 'POST',
        headers: {
          Authorization: 'Bearer ak',
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
      });
      gone.on('error', () => undefined).end(callSearch);
      await first;
      const left = performance.now();
      gone.destroy();
      await requests[0];
      assert.ok(performance.now() - left < attemptMs, 'the request ended by its own timeout');
      const second = arrival();
      const answer = send(own.url, { Authorization: 'Bearer ak' }, callSearch);
      await second;
      const stopped = own.stop();
      waiting[1]?.();
      assert.match((await answer).text, /unauthenticated/);
      assert.equal(await stopped, 0);
    } finally {
      await own.stop();
      slow.close();
    }
  });
});
