import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { catalogRpc } from '@almanac/contracts';
import { z } from 'zod';
import { nameOf } from './testing/service-stubs.js';
import { startSystem, type TestSystem } from './testing/gateway.js';

const problem = z.strictObject({ detail: z.string().min(1), code: z.string(), request_id: z.string().min(1) });

describe('the gateway, given raw bytes', () => {
  let system: TestSystem;
  let key: { text: string };
  before(async () => {
    system = await startSystem();
    key = system.edge.keys.createKey();
    system.edge.handlers.set(nameOf(catalogRpc.categories), () => ({ count: 0 }));
  });
  after(() => system.stop());

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
