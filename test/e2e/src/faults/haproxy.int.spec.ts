import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { startHaproxy } from './haproxy.js';

describe('the balancer of docker-compose.yml', () => {
  const seen: IncomingHttpHeaders[] = [];
  let folder = '';
  let gateway: Server;
  let balancer: Awaited<ReturnType<typeof startHaproxy>>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-balancer-'));
    gateway = createServer((request, response) => {
      if (request.url === '/markets') seen.push(request.headers);
      response.end('here');
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const address = gateway.address();
    assert.ok(typeof address === 'object' && address !== null);
    balancer = await startHaproxy(folder, [`http://127.0.0.1:${address.port}`]);
  });
  after(async () => {
    await balancer.stop();
    gateway.close();
    await rm(folder, { recursive: true });
  });

  it('tells a gateway who asks, and what a proxy in front of it says of TLS', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    assert.equal(await (await fetch(`${balancer.url}/markets`)).text(), 'here');
    await (await fetch(`${balancer.url}/markets`, { headers })).text();
    const forwarded = seen.map((one) => [one['x-forwarded-proto'], one['x-forwarded-for']]);
    assert.deepEqual(forwarded, [
      ['http', '127.0.0.1'],
      ['https', '203.0.113.7, 127.0.0.1'],
    ]);
  });

  it('answers as a gateway does while there is none: in JSON, with a time to wait', async () => {
    gateway.close();
    gateway.closeAllConnections();
    await eventually(async () => {
      const answer = await fetch(`${balancer.url}/markets`);
      const body: unknown = await answer.json();
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '2']);
      assert.deepEqual(body, {
        detail: 'The service does not answer at the moment. Try again.',
        code: 'unavailable',
      });
    });
  });
});
