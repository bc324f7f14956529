import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { commerceRpc, keysRpc, webhooksRpc } from '@almanac/contracts';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import { nameOf } from '../testing/service-stubs.js';

const requests = [
  { contract: keysRpc.create, path: '/keys', body: { name: 'mine' } },
  { contract: webhooksRpc.create, path: '/webhooks', body: { url: 'https://example.com/', events: ['export.ready'] } },
  { contract: commerceRpc.checkout, path: '/cart/checkout', body: undefined },
  { contract: commerceRpc.upgrade, path: '/billing/upgrade', body: { tier_id: 'pro' } },
];

const changes = [
  { contract: webhooksRpc.remove, method: 'DELETE', path: '/webhooks/w' },
  { contract: webhooksRpc.rotate, method: 'POST', path: '/webhooks/w/rotate' },
  { contract: webhooksRpc.enable, method: 'POST', path: '/webhooks/w/enable' },
  { contract: webhooksRpc.test, method: 'POST', path: '/webhooks/w/test' },
  { contract: webhooksRpc.redeliver, method: 'POST', path: '/webhooks/w/deliveries/d/redeliver' },
];

describe('a request that creates something', () => {
  let system: TestSystem;
  let received: { idempotency_key?: string; request_key?: string; seed?: string; requested_us?: number }[];
  before(async () => {
    system = await startSystem();
    for (const { contract } of [...requests, ...changes])
      system.edge.handlers.set(nameOf(contract), (input) => {
        received.push(input as (typeof received)[number]);
        return {};
      });
  });
  after(() => system.stop());

  const send = async (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') => {
    const answer = await system.request(path, system.edge.keys.createKey(), {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    assert.equal(answer.status, 200, await answer.text());
  };

  for (const { contract, path, body } of requests)
    it(`has a key of its own at ${path}, so that it is sent again if a server dies on its way`, async () => {
      received = [];
      assert.equal(contract.repeats, 'with key');
      for (const headers of [{}, {}, { 'idempotency-key': 'of the client' }]) await send(path, body, headers);
      const [first, second, third] = received.map(({ idempotency_key: key }) => key ?? assert.fail('no key'));
      assert.notEqual(first, second);
      assert.equal(third, 'of the client');
    });

  for (const { contract, method, path } of changes)
    it(`has a key that no other request has, at ${method} ${path}`, async () => {
      received = [];
      assert.equal(contract.repeats, 'with key');
      // Clients that repeat these may want another rotation, so their Idempotency-Key means nothing.
      for (let n = 0; n < 2; n += 1) await send(path, undefined, { 'idempotency-key': 'of the client' }, method);
      const [first, second] = received.map(({ request_key: key }) => key ?? assert.fail('no key'));
      assert.ok(first && second && first !== second);
    });

  it('says what its secret is made of', async () => {
    received = [];
    for (let n = 0; n < 2; n += 1) await send('/keys', { name: 'mine' });
    const [first, second] = received.map(({ seed }) => seed ?? assert.fail('no seed'));
    assert.match(first ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(first, second);
    await send('/webhooks', { url: 'https://example.com/', events: ['export.ready'] });
    assert.ok(received.at(-1)?.requested_us);
  });
});
