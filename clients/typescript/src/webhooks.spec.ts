import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { AlmanacError } from './errors.js';
import { verifyWebhook } from './webhooks.js';

/** The secret and the message of the specification of Standard Webhooks. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = `whsec_${Buffer.from('another secret of 32 characters!').toString('base64')}`;
const vector = {
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
};
const body = JSON.stringify({ type: 'export.ready', timestamp: '2026-02-25T00:00:00.000Z', data: { id: 'é' } });

const headersOf = (key: string, more: Record<string, string> = {}): Record<string, string> => {
  const bytes = Buffer.from(key.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', bytes).update(`msg_1.1000.${body}`).digest('base64');
  return {
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': '1000',
    'Webhook-Signature': `v2,x v1,x v1,${signature}`,
    ...more,
  };
};
const at = (seconds: number) => ({ now: () => seconds * 1_000 });

describe('verifyWebhook', () => {
  it('accepts the example of the specification', async () => {
    const { id, ...event } = await verifyWebhook(vector, secret, at(1_614_265_330));
    assert.deepEqual([id, event], ['msg_p5jXN8AQM9LWM0D4loKWxJek', { test: 2_432_232_314 }]);
  });

  it('accepts one right signature, with one of several secrets, for each form of headers and body', async () => {
    for (const headers of [headersOf(secret), new Headers(headersOf(secret)), Object.entries(headersOf(secret))]) {
      for (const received of [body, Buffer.from(body)]) {
        const event = await verifyWebhook({ headers, body: received }, [other, secret], at(1_200));
        assert.deepEqual([event.id, event.type, event.data], ['msg_1', 'export.ready', { id: 'é' }]);
      }
    }
  });

  it('says how old a delivery is, because the clock of the receiver can be off', async () => {
    const refusalAt = (seconds: number): Promise<unknown> =>
      verifyWebhook({ headers: headersOf(secret), body }, secret, at(seconds)).catch((error: unknown) => error);
    const [late, early] = [await refusalAt(4_600), await refusalAt(100)];
    assert.ok(late instanceof AlmanacError && early instanceof AlmanacError);
    assert.match(late.message, /is 3600 s old, and 300 s are allowed\..*set the clock/);
    assert.match(early.message, /is 900 s ahead of the clock of this machine/);
  });

  it('refuses everything else', async () => {
    const refused: readonly [Record<string, string>, string, string, number][] = [
      [headersOf(other), body, secret, 1_000],
      [headersOf(secret), `${body} `, secret, 1_000],
      [headersOf(secret), body, secret, 1_301],
      [headersOf(secret), body, secret, 699],
      [headersOf(secret, { 'Webhook-Id': 'msg_2' }), body, secret, 1_000],
      [headersOf(secret, { 'Webhook-Timestamp': 'x' }), body, secret, 1_000],
      [headersOf(secret, { 'Webhook-Signature': '' }), body, secret, 1_000],
      [{}, body, secret, 1_000],
      [headersOf(secret), body, 'whsec_', 1_000],
      [headersOf(secret), body, 'no secret', 1_000],
    ];
    for (const [headers, text, key, seconds] of refused)
      await assert.rejects(
        verifyWebhook({ headers, body: text }, key, at(seconds)),
        (error) => error instanceof AlmanacError && error.code === 'webhook_invalid',
      );
  });
});
