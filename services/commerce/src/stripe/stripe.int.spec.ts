import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { DomainError, type ErrorCode, type HostedSession } from '@almanac/contracts';
import { type FaultKind, type FakeStripe, startFakeStripe } from '@almanac/fake-stripe';
import { unixMicros } from '@almanac/runtime';
import type { StripeSettings } from './config.js';
import { type StripePayments, stripePayments } from './stripe.js';

const refusal = (code: ErrorCode) => (error: unknown) => {
  assert.ok(error instanceof DomainError, inspect(error));
  assert.equal(error.code, code);
  return true;
};

const lines = [
  { event: 'EV-A', title: 'The first event', price: 500 },
  { event: 'EV-B', title: null, price: 700 },
];

describe('the Stripe client', () => {
  let fakeStripe: FakeStripe;
  let stripe: StripePayments;
  let settings: StripeSettings;
  let customerId = '';
  before(async () => {
    fakeStripe = await startFakeStripe({ prices: { price_pro: 4_900 } });
    const { secretKey, webhookSecret, url: apiUrl } = fakeStripe;
    settings = { secretKey, webhookSecret, prices: { pro: 'price_pro' }, returnUrl: 'http://127.0.0.1/docs', apiUrl };
    stripe = stripePayments(settings, { attemptMs: 3_000, callMs: 30_000 });
    customerId = await stripe.createCustomer('a1');
  });
  afterEach(() => {
    fakeStripe.faults.clear();
    assert.deepEqual(fakeStripe.violations, []);
  });
  after(() => fakeStripe.stop());

  const sale = (id: string = randomUUID()) => ({ id, account: 'a1', customerId, lines, startedUs: unixMicros() });
  const sessionAt = ({ id }: HostedSession) => {
    const session = fakeStripe.ledger.session.get(id);
    assert.ok(session);
    return session;
  };
  const paidPage = async () => {
    const page = await stripe.openCheckout(sale());
    fakeStripe.people.pay(page.id);
    const payment = sessionAt(page).payment;
    assert.ok(payment);
    return { page, payment };
  };
  const isPaid = (id: string) => [...fakeStripe.ledger.refund.values()].filter(({ payment }) => payment === id);

  it('opens a page that sells the given lines at the given prices with a description', async () => {
    const saleInput = sale();
    const page = await stripe.openCheckout(saleInput);
    assert.equal(page.url, `${fakeStripe.url}/pay/${page.id}`);
    const session = sessionAt(page);
    assert.deepEqual(
      session.lines.map(({ name, amount, metadata }) => [name, amount, metadata['event']]),
      [
        ['The first event', 500, 'EV-A'],
        ['EV-B', 700, 'EV-B'],
      ],
    );
    assert.deepEqual(session.metadata, { account: 'a1', checkout: saleInput.id });
    assert.deepEqual(session.childMetadata, session.metadata);
    assert.equal(page.expires_us, session.expiresAt * 1e6);
  });

  it('opens one page for one checkout, however often it is called', async () => {
    const saleInput = sale();
    const pages = await Promise.all(Array.from({ length: 5 }, () => stripe.openCheckout(saleInput)));
    assert.equal(new Set(pages.map(({ id }) => id)).size, 1);
  });

  it('creates one customer of an account, with nothing but its id', async () => {
    assert.equal(await stripe.createCustomer('a1'), customerId);
    const { email, metadata } = fakeStripe.ledger.customer.get(customerId) ?? {};
    assert.deepEqual([email, metadata], [null, { account: 'a1' }]);
    assert.equal(await stripe.accountOfCustomer(customerId), 'a1');
    assert.equal(await stripe.accountOfCustomer('cus_nobody'), undefined);
  });

  for (const kind of ['lock_timeout', 'unavailable', 'cut', 'cut_after', 'hang', 'hang_after', 'slow'] as const) {
    it(`recovers from one failure: ${kind}`, async () => {
      const saleInput = sale();
      fakeStripe.faults.add({ kind, on: /POST .*sessions$/ });
      const page = await stripe.openCheckout(saleInput);
      const made = [...fakeStripe.ledger.session.values()].filter(({ reference }) => reference === saleInput.id);
      assert.deepEqual([made.length, made[0]?.id], [1, page.id]);
    });
  }

  for (const kind of ['lock_timeout', 'unavailable', 'rate_limited', 'cut', 'hang'] satisfies FaultKind[]) {
    it(`reports a retryable error after repeated failures: ${kind}`, async () => {
      fakeStripe.faults.add({ kind, times: 20 });
      await assert.rejects(stripe.openCheckout(sale()), (error) => {
        refusal('unavailable')(error);
        assert.ok(error instanceof DomainError);
        assert.equal(error.options.more?.['retry_after_s'], 5);
        return true;
      });
    });
  }

  it('ends a call at its deadline, whatever Stripe does', async () => {
    const shortDeadline = stripePayments(settings, { attemptMs: 60_000, callMs: 200 });
    fakeStripe.faults.add({ kind: 'hang', times: 5 });
    await assert.rejects(shortDeadline.openCheckout(sale()), refusal('unavailable'));
  });

  it('gets past an error that Stripe repeats for an idempotency key, and returns one page', async () => {
    const saleInput = sale();
    fakeStripe.faults.add({ kind: 'error_after', on: /POST .*sessions$/ });
    const page = await stripe.openCheckout(saleInput);
    assert.deepEqual(await stripe.openCheckout(saleInput), page);
  });

  it('gets past such an error when it creates a customer or closes a page', async () => {
    fakeStripe.faults.add({ kind: 'error_after', on: /POST .*customers$/ });
    assert.match(await stripe.createCustomer('acc_stuck'), /^cus_/);
    const page = await stripe.openCheckout(sale());
    fakeStripe.faults.add({ kind: 'error_after', on: /POST .*expire$/ });
    assert.equal(await stripe.expireCheckout(page), 'expired');
  });

  it('explains the remedy for a declined card', async () => {
    fakeStripe.faults.add({ kind: 'card_declined', times: 2 });
    await assert.rejects(stripe.openCheckout(sale()), refusal('payment_required'));
  });

  it('shows neither the error texts of Stripe nor its keys', async () => {
    const failures: Error[] = [];
    const onFailure = (error: Error): void => void failures.push(error);
    const strange = stripePayments({ ...settings, secretKey: 'sk_test_notthisone' }, { onFailure });
    await assert.rejects(strange.openCheckout(sale()), (error) => {
      const inspected = inspect(error, { depth: 10 });
      assert.match(inspected, /StripeAuthenticationError/);
      assert.doesNotMatch(inspected, /sk_test|Invalid API Key|authorization/i);
      return refusal('unavailable')(error);
    });
    assert.match(failures.map(String).join(), /StripeAuthenticationError/);
    await assert.rejects(stripe.openCheckout({ ...sale(), lines: [] }), (error) => {
      assert.doesNotMatch(inspect(error, { depth: 10 }), /1 to 100|sk_test/);
      return true;
    });
  });

  it('closes a page, and reports one that was paid or is being paid', async () => {
    const closed = await stripe.openCheckout(sale());
    assert.equal(await stripe.expireCheckout(closed), 'expired');
    assert.equal(await stripe.expireCheckout(closed), 'expired');
    assert.equal(sessionAt(closed).status, 'expired');
    const { page, payment } = await paidPage();
    assert.deepEqual(await stripe.expireCheckout(page), { payment });
    const slow = await stripe.openCheckout(sale());
    fakeStripe.people.payLater(slow.id);
    await assert.rejects(stripe.expireCheckout(slow), refusal('conflict'));
    fakeStripe.people.bounce(slow.id);
    assert.equal(await stripe.expireCheckout(slow), 'expired');
  });

  it('refunds the price of a line once, even when the call repeats or the answer is lost', async () => {
    const { payment } = await paidPage();
    const refund = { id: randomUUID(), payment, amount: 500, checkoutId: 'c', event: 'EV-A' };
    fakeStripe.faults.add({ kind: 'cut_after', on: /POST .*refunds/ });
    await stripe.refund(refund);
    await stripe.refund(refund);
    assert.deepEqual(await stripe.refundsOf(payment), [{ amount: 500, event: 'EV-A', own: refund.id }]);
  });

  it('refunds the rest of a payment, and nothing when the operator refunded first', async () => {
    const { payment } = await paidPage();
    fakeStripe.people.refund(payment, 200);
    await stripe.refundAll(payment);
    await stripe.refundAll(payment);
    assert.deepEqual(
      isPaid(payment).map(({ amount }) => amount),
      [200, 1_000],
    );
    await stripe.refund({ id: randomUUID(), payment, amount: 500, checkoutId: 'c', event: 'EV-A' });
    assert.equal(isPaid(payment).length, 2);
  });

  it('sells a plan by its configured price, or creates one', async () => {
    const upgrade = { account: 'a1', customerId, planName: 'Pro', startedUs: 1 };
    const pro = await stripe.openSubscription({ ...upgrade, id: randomUUID(), plan: 'pro', price: 4_900 });
    const books = await stripe.openSubscription({ ...upgrade, id: randomUUID(), plan: 'full_book', price: 14_900 });
    assert.equal(sessionAt(pro).price, 'price_pro');
    assert.deepEqual([sessionAt(books).price, sessionAt(books).lines[0]?.amount], [null, 14_900]);
    fakeStripe.people.pay(pro.id);
    fakeStripe.people.pay(books.id);
    const now = await stripe.subscriptionsOf(customerId);
    assert.deepEqual(now.map(({ plan, status }) => `${plan} ${status}`).toSorted(), ['full_book active', 'pro active']);
    for (const { id } of now) {
      await stripe.endSubscription(id);
      await stripe.endSubscription(id);
    }
    assert.deepEqual(await stripe.subscriptionsOf(customerId), []);
  });

  it('opens the portal of a customer, and deletes a customer', async () => {
    const customer = await stripe.createCustomer('a2');
    assert.match(await stripe.openPortal(customer), /\/portal\/bps_/);
    await stripe.deleteCustomer(customer);
    await stripe.deleteCustomer(customer);
    assert.equal(await stripe.accountOfCustomer(customer), undefined);
  });

  it('verifies the signature of a webhook over its exact bytes, and keeps only ids', async () => {
    const { page, payment } = await paidPage();
    const held = fakeStripe.webhooks.events.findLast(({ type }) => type === 'checkout.session.completed');
    assert.ok(held);
    const body = Buffer.from(held.body);
    const read = stripe.readWebhook({ body, signature: fakeStripe.webhooks.sign(held.body) });
    assert.ok(read);
    const { created_us, account, ...ids } = read;
    assert.equal(account, 'a1');
    assert.ok(created_us > 0);
    const about = { session: page.id, payment, customer: customerId };
    assert.deepEqual(ids, { id: held.id, type: 'checkout.session.completed', ...about });

    const now = Math.floor(Date.now() / 1_000);
    const wrong = {
      'another secret': { body, signature: fakeStripe.webhooks.sign(held.body, { secret: 'whsec_other' }) },
      'an old time': { body, signature: fakeStripe.webhooks.sign(held.body, { at: now - 310 }) },
      'other bytes': { body: Buffer.from(`${held.body} `), signature: fakeStripe.webhooks.sign(held.body) },
      'no signature': { body, signature: '' },
      'no header of this kind': { body, signature: 'v1=abc' },
      'no body': { body: Buffer.alloc(0), signature: fakeStripe.webhooks.sign('') },
      'no JSON': { body: Buffer.from('{'), signature: fakeStripe.webhooks.sign('{') },
      'an array': { body: Buffer.from('[]'), signature: fakeStripe.webhooks.sign('[]') },
    };
    for (const [what, webhook] of Object.entries(wrong)) {
      assert.throws(() => stripe.readWebhook(webhook), refusal('invalid_input'), what);
    }
  });
});
