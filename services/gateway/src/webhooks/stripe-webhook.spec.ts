import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RpcClient } from '@almanac/bus';
import { commerceRpc, DomainError } from '@almanac/contracts';
import { byteBudget } from '@almanac/runtime';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { overloadCounter } from '../http/metrics.js';
import { bodyReader } from '../http/read-body.js';
import { type ServedPages, servePages } from '../testing/pages.js';
import { stripeWebhook } from './stripe-webhook.js';

/** Stands in for commerce, which knows one signature. */
const commerce = (received: Buffer[]): RpcClient => {
  const call: RpcClient['call'] = async (to, { input, body = new Uint8Array() }) => {
    assert.equal(to, commerceRpc.stripeWebhook);
    const { signature } = commerceRpc.stripeWebhook.input.parse(input);
    if (signature !== 't=1,v1=right') throw new DomainError('invalid_input', 'The signature does not fit.');
    received.push(Buffer.from(body));
    return to.output.parse({ received: true });
  };
  return { call, forward: () => assert.fail('not used') };
};

describe('POST /webhooks/stripe', () => {
  let pages: ServedPages;
  const received: Buffer[] = [];
  before(async () => {
    const withBody = bodyReader(byteBudget(1_048_576 * 4), overloadCounter(new Registry()));
    pages = await servePages({ stripeWebhook: stripeWebhook(commerce(received), withBody) });
  });
  after(() => pages.stop());

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${pages.url}/webhooks/stripe`, { method: 'POST', body, headers });
  const right = { 'stripe-signature': 't=1,v1=right' };
  const problem = z.object({ detail: z.string(), code: z.string(), request_id: z.string() });

  it('passes on the exact bytes of the body, whatever its media type, and needs no key', async () => {
    const bodies = ['{\n  "id": "evt_1",\r\n "ü": "\\u00fc" }\n', '', '\n\n', Buffer.from([0, 255, 10, 254])];
    for (const body of bodies) {
      const answer = await post(body, { ...right, 'content-type': 'application/json' });
      assert.equal(answer.status, 200);
      assert.deepEqual(await answer.json(), { received: true });
      assert.deepEqual(received.pop(), Buffer.from(body));
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
    const got = await fetch(`${pages.url}/webhooks/stripe`);
    assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
    assert.equal((await fetch(`${pages.url}/api/v1/webhooks/stripe`, { method: 'POST' })).status, 405);
    assert.deepEqual(received, []);
  });
});
