import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { commerceRpc, DomainError } from '@almanac/contracts';
import { z } from 'zod';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, type TestSystem } from '../testing/gateway.js';

describe('POST /webhooks/stripe', () => {
  let system: TestSystem;
  const received: { signature: string; body: Buffer }[] = [];
  before(async () => {
    system = await startSystem();
    system.edge.handlers.set(nameOf(commerceRpc.stripeWebhook), (input, { body }) => {
      const { signature } = commerceRpc.stripeWebhook.input.parse(input);
      if (signature !== 't=1,v1=right') throw new DomainError('invalid_input', 'The signature does not fit.');
      received.push({ signature, body: Buffer.from(body) });
      return { received: true };
    });
  });
  after(() => system.stop());

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${system.url}/webhooks/stripe`, { method: 'POST', body, headers });
  const right = { 'stripe-signature': 't=1,v1=right' };
  const problem = z.object({ detail: z.string(), code: z.string(), request_id: z.string() });

  it('passes on the exact bytes of the body, whatever its media type, and needs no key', async () => {
    const bodies = ['{\n  "id": "evt_1",\r\n "ü": "\\u00fc" }\n', '', '\n\n', Buffer.from([0, 255, 10, 254])];
    for (const body of bodies) {
      const answer = await post(body, { ...right, 'content-type': 'application/json' });
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), { received: true });
      assert.deepEqual(received.pop()?.body, Buffer.from(body));
    }
  });

  it('answers 400 when the signature is wrong, missing or malformed', async () => {
    for (const headers of [{}, { 'stripe-signature': 't=1,v1=wrong' }, { 'stripe-signature': 'x'.repeat(10_000) }]) {
      const answer = await post('{}', headers);
      assert.equal(answer.status, 400);
      assert.equal(problem.parse(await answer.json()).code, 'invalid_input');
    }
    assert.deepEqual(received, []);
  });

  it('accepts half a megabyte and no more, and no other method', async () => {
    assert.equal((await post('x'.repeat(524_288), right)).status, 200);
    received.length = 0;
    const answer = await post('x'.repeat(524_289), right);
    assert.equal(answer.status, 413);
    assert.equal(problem.parse(await answer.json()).code, 'payload_too_large');
    const got = await fetch(`${system.url}/webhooks/stripe`);
    assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
    assert.equal((await fetch(`${system.url}/api/v1/webhooks/stripe`, { method: 'POST' })).status, 405);
    assert.deepEqual(received, []);
  });
});
