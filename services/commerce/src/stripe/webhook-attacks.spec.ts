// What somebody without the secret can make of webhooks that he saw. The signer is written from Stripe's documentation, so
// that it shares nothing with what it tests.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { stripePayments } from './stripe.js';

const webhookSecret = 'whsec_of_this_test';
const payments = stripePayments({
  secretKey: 'sk_test_of_this_test',
  webhookSecret,
  prices: {},
  returnUrl: 'http://127.0.0.1/',
  apiUrl: undefined,
});

const session = {
  id: 'cs_1',
  object: 'checkout.session',
  customer: null,
  payment_intent: null,
  metadata: { account: 'a1' },
};
const body = JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed', created: 1, data: { object: session } });
const digest = (at: number, { by = webhookSecret, of = body }: { by?: string; of?: string } = {}): string =>
  createHmac('sha256', by).update(`${at}.${of}`).digest('hex');
const now = Math.floor(Date.now() / 1_000);
const old = now - 400;
const right = digest(now);
const wrong = digest(now, { by: 'whsec_other' });

/** A rotation of the secret makes Stripe sign with both for a day. */
const accepted: Readonly<Record<string, string>> = {
  'the signature alone': `t=${now},v1=${right}`,
  'the fields in another order': `v1=${right},t=${now}`,
  'a signature of another secret before it': `t=${now},v1=${wrong},v1=${right}`,
  'a signature of another secret after it': `t=${now},v1=${right},v1=${wrong}`,
  'a signature of the test scheme beside it': `t=${now},v0=${wrong},v1=${right}`,
  'an unknown field': `t=${now},v1=${right},v9=x`,
  'a time of some minutes ago': `t=${now - 200},v1=${digest(now - 200)}`,
};

const refused: Readonly<Record<string, string>> = {
  'an old time, signed': `t=${old},v1=${digest(old)}`,
  'an old signature under the present time': `t=${now},v1=${digest(old)}`,
  'an old signature with the present time before its own': `t=${now},t=${old},v1=${digest(old)}`,
  'an old signature with the present time after its own': `t=${old},v1=${digest(old)},t=${now}`,
  'two signatures of other secrets': `t=${now},v1=${wrong},v1=${digest(now, { by: '' })}`,
  'the test scheme alone': `t=${now},v0=${right}`,
  'no scheme': `t=${now},${right}`,
  'a signature of the body without the time': `t=${now},v1=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
  'a signature of another body': `t=${now},v1=${digest(now, { of: body.replace('a1', 'a2') })}`,
  'a beginning of the signature': `t=${now},v1=${right.slice(0, 32)}`,
  'more than the signature': `t=${now},v1=${right}00`,
  'an empty signature': `t=${now},v1=`,
  'an empty signature beside another': `t=${now},v1=,v1=${wrong}`,
  'a signature that is not ASCII': `t=${now},v1=${'é'.repeat(64)}`,
  'no signature': `t=${now}`,
  'no time': `v1=${right}`,
  'a time that is no number': `t=x,v1=${createHmac('sha256', webhookSecret).update(`x.${body}`).digest('hex')}`,
  'an empty time': `t=,v1=${createHmac('sha256', webhookSecret).update(`.${body}`).digest('hex')}`,
  'a negative time': `t=-1,v1=${digest(-1)}`,
};

describe('a webhook of Stripe', () => {
  const read = (signature: string) => payments.readWebhook({ body: Buffer.from(body), signature });

  for (const [what, signature] of Object.entries(accepted))
    it(`is accepted with ${what}`, () => assert.equal(read(signature)?.account, 'a1'));

  for (const [what, signature] of Object.entries(refused)) {
    it(`is refused with ${what}, without a word of it`, () => {
      assert.throws(
        () => read(signature),
        (error) => {
          assert.ok(error instanceof DomainError && error.code === 'invalid_input');
          assert.equal(error.cause, undefined);
          assert.doesNotMatch(error.message, /evt_1|cs_1|whsec/);
          return true;
        },
      );
    });
  }
});
