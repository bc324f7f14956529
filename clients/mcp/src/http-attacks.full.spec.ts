// In the full run: a thousand sessions take ten seconds. It sends what a page, a neighbour or a client without rights can send.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type RunningHttp, serveHttp } from './http.js';
import { reply, type StubApi, stubApi } from './testing/agent.js';

const sessionsN = 1_000;
const atOnce = 100;
/** Names and values of headers, which may repeat. */
type Head = readonly (readonly [string, string])[];

describe('the MCP server on HTTP, attacked', { timeout: 300_000 }, () => {
  let api: StubApi;
  let running: RunningHttp;
  const lines: string[] = [];
  const serve = (times?: Parameters<typeof serveHttp>[2]): Promise<RunningHttp> => {
    const allowed = { allowedHosts: ['mcp.example.com'], allowedOrigins: [] };
    const settings = { host: '127.0.0.1', port: 0, asOf: undefined, baseUrl: api.url, ...allowed };
    return serveHttp(settings, (line) => lines.push(line), times);
  };
  before(async () => {
    api = await stubApi((_, response) =>
      reply(response, { status: 401, body: { code: 'unauthenticated', detail: 'x' } }),
    );
    const local = {
      host: '127.0.0.1',
      port: 0,
      asOf: undefined,
      allowedHosts: ['mcp.example.com'],
      allowedOrigins: [],
    };
    running = await serveHttp({ ...local, baseUrl: api.url }, (line) => lines.push(line));
  });
  after(async () => {
    await running.stop();
    await api.close();
  });

  /** The status of the answer to this request, and its headers and text. */
  const sent = (head: Head, body = '', { isWhole = true } = {}): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const defaults: Head = [
        ['Content-Type', 'application/json'],
        ['Accept', 'application/json, text/event-stream'],
        ['Authorization', 'Bearer ak_of_this_test'],
      ];
      const options = { method: 'POST', agent: false, setHost: false, headers: [...defaults, ...head].flat() };
      let isAnswered = false;
      const sending = request(running.url, options, (response) => {
        isAnswered = true;
        let text = JSON.stringify(response.headers);
        response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        response.once('close', () => {
          sending.destroy();
          resolve({ status: response.statusCode ?? 0, text });
        });
      });
      // A refusal can come before the whole body was sent.
      sending.on('error', (error) => (isAnswered ? undefined : reject(error)));
      sending.write(body);
      if (isWhole) sending.end();
    });
  const local: Head[number] = ['Host', 'localhost'];
  const evil: Head[number] = ['Host', 'evil.example'];
  const message = (method: string, params?: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const call = (head: Head, body = message('tools/list')) =>
    sent([...head, ['Content-Length', String(Buffer.byteLength(body))]], body);

  it('answers its own names and those of its settings, whatever port a proxy has', async () => {
    for (const host of [
      'localhost',
      'LOCALHOST:1',
      '127.0.0.1:80',
      '[::1]:80',
      'mcp.example.com',
      'mcp.example.com:443',
    ])
      assert.equal((await call([['Host', host]])).status, 200, host);
  });

  it('refuses every other host, and a request with two or none', async () => {
    const hosts = [
      'evil.example',
      'localhost.evil.example',
      'evil-localhost',
      'evil.example:localhost',
      'localhost@evil.example',
      'evil.example@localhost:80@',
      '127.0.0.1.nip.io',
      '127.0.0.2',
      '0.0.0.0',
      '[::ffff:127.0.0.1]',
      '169.254.169.254',
      'mcp.example.com.evil.example',
      'localhost, evil.example',
      '',
    ];
    for (const host of hosts) {
      const { status } = await call([['Host', host]]);
      assert.ok(status === 403 || status === 400, `${host} got ${status}`);
    }
    for (const head of [[], [local, evil], [evil, local], [local, local]])
      assert.equal((await call(head)).status, 400, head.join(' and '));
  });

  it('refuses the origin of every other page', async () => {
    const origins = [
      'https://evil.example',
      'http://localhost.evil.example',
      'http://evil.example/localhost',
      'http://localhost@evil.example',
      'http://127.0.0.1.nip.io',
      'http://mcp.example.com',
      'file://',
      'null',
      'localhost',
      'http://localhost, https://evil.example',
    ];
    for (const origin of origins) assert.equal((await call([local, ['Origin', origin]])).status, 403, origin);
  });

  it('reads no body above its limit, in any form', async () => {
    const long = message('tools/list', { x: 'x'.repeat(300_000) });
    assert.equal((await call([local], long)).status, 413);
    assert.equal((await sent([local, ['Transfer-Encoding', 'chunked']], long)).status, 413);
    assert.equal((await sent([local, ['Content-Length', String(2 ** 40)]], 'x', { isWhole: false })).status, 413);
    assert.equal((await call([local, ['X', 'x'.repeat(100_000)]])).status, 431);
  });

  it('refuses messages that are none, deep or many, and goes on', async () => {
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    const many = `[${Array.from({ length: 2_000 }, () => message('tools/list')).join(',')}]`;
    const forged = '{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{"method":"x"},"constructor":{}}';
    for (const body of ['', '{', 'null', '[]', '[[]]', '{"jsonrpc":"2.0"}', deep, many]) {
      const { status } = await call([local], body);
      assert.ok(status >= 400 && status < 500, `${body.slice(0, 20)} got ${status}`);
    }
    assert.ok((await call([local], forged)).status < 500);
    assert.equal((await call([local])).status, 200);
  });

  it(`stores nothing of ${sessionsN} sessions, and takes no session of others`, async () => {
    const hello = message('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'attack', version: '1' },
    });
    for (let begun = 0; begun < sessionsN; begun += atOnce) {
      const answers = await Promise.all(Array.from({ length: atOnce }, () => call([local], hello)));
      for (const { status, text } of answers) {
        assert.equal(status, 200);
        assert.doesNotMatch(text, /mcp-session-id/i);
      }
    }
    assert.equal((await call([local, ['Mcp-Session-Id', 'of-somebody-else']])).status, 200);
    const ending = await fetch(running.url, { method: 'DELETE', headers: { Authorization: 'Bearer x' } });
    assert.equal(ending.status, 405);
    const listening = await fetch(running.url, { headers: { Authorization: 'Bearer x', Accept: 'text/event-stream' } });
    assert.equal(listening.status, 405);
    assert.equal(api.calls.length, 0);
  });

  it('ends clients that do not send their request, and answers others meanwhile', async () => {
    const hasty = await serve({ headersMs: 2_000, requestMs: 3_000 });
    const slow = Array.from({ length: 200 }, (_, at) => {
      const socket = connect(Number(new URL(hasty.url).port), '127.0.0.1').on('error', () => undefined);
      const rest = at % 2 === 0 ? '' : 'Content-Length: 1000\r\n\r\n{';
      socket.resume().write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n${rest}`);
      return once(socket, 'close');
    });
    assert.equal((await call([local])).status, 200);
    await Promise.all(slow);
    await hasty.stop();
  });

  it('logs no key', () =>
    assert.ok(
      lines.every((line) => !line.includes('ak_of_this_test')),
      lines.join('\n'),
    ));
});
