import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { chargeObject, sessionObject, subscriptionObject } from '@almanac/fake-stripe';
import { eventually } from '@almanac/testing';
import { eventsOn, heldAfter, pageIdIn, drained } from '../testing/stripe-buyer.js';
import { startStripeFixture, type StripeFixture } from '../testing/stripe-fixture.js';

describe('a Stripe plan', () => {
  let fixture: StripeFixture;
  let service: { stop(): Promise<void> };
  const prices = { STRIPE_PRICE_PRO: 'price_pro' };
  before(async () => {
    fixture = await startStripeFixture({ prices: { price_pro: 4_900 } });
    service = await fixture.start(prices);
  });
  afterEach(() => {
    fixture.fakeStripe.webhooks.send(null);
    assert.deepEqual(fixture.fakeStripe.violations, []);
  });
  after(async () => {
    await service.stop();
    await fixture.stop();
  });

  const subscriptionsOf = async (account: string) => {
    const { customer_id: customer } = await fixture.account(account);
    return [...fixture.fakeStripe.ledger.subscription.values()].filter((one) => one.customer === customer);
  };
  const liveOf = async (account: string) =>
    (await subscriptionsOf(account)).filter(({ status }) => status !== 'canceled');
  /** An account that has paid for a plan. Its webhooks are delivered from then on. */
  const subscriber = async (plan: 'pro' | 'full_book' = 'pro') => {
    const account = await fixture.openAccount('free');
    const client = fixture.client(account);
    fixture.fakeStripe.webhooks.send(fixture.webhook);
    fixture.fakeStripe.people.pay(pageIdIn((await client.upgrade(plan)).checkout_url));
    await eventually(async () => assert.equal(await client.plan(), plan));
    const [subscription] = await liveOf(account);
    assert.ok(subscription);
    return { account, client, id: subscription.id };
  };

  it('starts when it is paid, not before, and the same key returns the same page', async () => {
    const account = await fixture.openAccount('free');
    const client = fixture.client(account);
    const upgrades = await client.upgrade('pro', 'k');
    assert.deepEqual([upgrades.mode, upgrades.plan], ['stripe', 'pro']);
    assert.deepEqual(await client.upgrade('pro', 'k'), upgrades);
    assert.equal(await client.plan(), 'free');
    const heldEvents = heldAfter(fixture, () => fixture.fakeStripe.people.pay(pageIdIn(upgrades.checkout_url)));
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, [...heldEvents, ...heldEvents].toReversed());
    await eventually(async () => assert.equal(await client.plan(), 'pro'));
    await drained(fixture);
    assert.equal((await fixture.account(account)).subscription?.status, 'active');
    assert.equal(await fixture.reserve(account), 'plan');
    assert.deepEqual(await client.upgrade('pro'), { mode: 'stripe', plan: 'pro', checkout_url: null });
    await assert.rejects(fixture.client((await subscriber('full_book')).account).upgrade('pro'), {
      code: 'not_an_upgrade',
    });
  });

  it('that is upgraded, or paid for twice, leaves one subscription', async () => {
    const { account, client, id } = await subscriber();
    // Refused until the first upgrade is settled, shortly after its plan is active.
    const first = await eventually(() => client.upgrade('full_book'));
    // The operator sells to the same customer in the Stripe dashboard.
    fixture.fakeStripe.people.pay(pageIdIn(first.checkout_url));
    const known = (await liveOf(account)).at(-1);
    assert.ok(known);
    fixture.fakeStripe.ledger.subscription.set('sub_of_the_dashboard', { ...known, id: 'sub_of_the_dashboard' });
    fixture.fakeStripe.people.renew('sub_of_the_dashboard');
    await eventually(async () => assert.equal(await client.plan(), 'full_book'));
    await eventually(async () => assert.equal((await liveOf(account)).length, 1));
    await drained(fixture);
    assert.equal(fixture.fakeStripe.ledger.subscription.get(id)?.status, 'canceled');
    assert.deepEqual([await client.plan(), (await liveOf(account)).length], ['full_book', 1]);
  });

  it('has one page at a time: the same for concurrent requests, and closed when another plan is requested', async () => {
    const account = await fixture.openAccount('free');
    const client = fixture.client(account);
    const upgrades = await Promise.all([client.upgrade('pro'), client.upgrade('pro'), client.upgrade('pro', 'k')]);
    const urls = new Set(upgrades.map(({ checkout_url }) => checkout_url));
    assert.equal(urls.size, 1);
    const better = await client.upgrade('full_book');
    const pages = [...fixture.fakeStripe.ledger.session.values()].filter(
      ({ metadata }) => metadata['account'] === account,
    );
    assert.deepEqual(
      pages.filter(({ status }) => status === 'open').map(({ url }) => url),
      [better.checkout_url],
    );
    assert.deepEqual(await client.upgrade('pro', 'k'), upgrades[2], 'a key is answered as the first time');
    // The plan is paid, and its webhook has not arrived yet.
    fixture.fakeStripe.people.pay(pageIdIn(better.checkout_url));
    assert.deepEqual(await client.upgrade('full_book'), better);
    await assert.rejects(client.upgrade('pro'), { code: 'conflict' });
    assert.equal((await liveOf(account)).length, 1);
  });

  it('ends when it is cancelled or not paid again, and ignores events that come in reverse and days late', async () => {
    for (const end of ['canceled', 'unpaid'] as const) {
      const { account, client, id } = await subscriber();
      const heldEvents = heldAfter(fixture, () => fixture.fakeStripe.people.renew(id));
      const ended = heldAfter(fixture, () => fixture.fakeStripe.people.endSubscription(id, end));
      await eventually(async () => assert.equal(await client.plan(), 'free'));
      await fixture.fakeStripe.webhooks.deliver(fixture.webhook, [...ended, ...heldEvents]);
      await drained(fixture);
      assert.equal(await client.plan(), 'free');
      assert.equal(
        (await fixture.account(account)).subscription?.status ?? 'none',
        end === 'unpaid' ? 'unpaid' : 'none',
      );
      await assert.rejects(fixture.reserve(account, { day_pack: true }), { code: 'payment_required' });
    }
  });

  it('continues for a grace period when a renewal fails, and for good once it is paid', async () => {
    const { account, client, id } = await subscriber();
    fixture.fakeStripe.people.failRenewal(id);
    await eventually(async () => assert.equal((await fixture.account(account)).subscription?.status, 'past_due'));
    const since = (await fixture.account(account)).subscription?.past_due_us;
    assert.ok(typeof since === 'number');
    assert.equal(await client.plan(), 'pro');
    fixture.fakeStripe.people.failRenewal(id);
    await drained(fixture);
    assert.equal((await fixture.account(account)).subscription?.past_due_us, since);
    fixture.fakeStripe.people.renew(id);
    await eventually(async () => assert.equal((await fixture.account(account)).subscription?.status, 'active'));
    assert.equal(await client.plan(), 'pro');
  });

  it('ends after the grace period without a webhook', async () => {
    const { client, account, id } = await subscriber();
    fixture.fakeStripe.people.failRenewal(id);
    await eventually(async () => assert.equal((await fixture.account(account)).subscription?.status, 'past_due'));
    assert.equal(await client.plan(), 'pro');
    await service.stop();
    service = await fixture.start({ ...prices, STRIPE_GRACE_DAYS: 0, SWEEP_EVERY_S: 0.05 });
    await eventually(async () => assert.equal(await client.plan(), 'free'));
    await service.stop();
    service = await fixture.start(prices);
  });

  it('that the operator gave stays without a subscription, and `internal` stays whatever Stripe reports', async () => {
    const account = await fixture.openAccount('internal');
    const client = fixture.client(account);
    await client.portal();
    const { customer_id: customer } = await fixture.account(account);
    assert.ok(customer);
    const heldEvents = heldAfter(fixture, () =>
      fixture.fakeStripe.webhooks.emit(
        'customer.subscription.updated',
        foreignSubscription({ customer, metadata: {} }),
      ),
    );
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, heldEvents);
    await drained(fixture);
    assert.equal(await client.plan(), 'internal');
  });

  it('does not change with subscriptions of another system in the same Stripe account', async () => {
    const heldEvents = heldAfter(fixture, () => {
      const { emit } = fixture.fakeStripe.webhooks;
      emit('checkout.session.completed', sessionObject(foreignSession));
      emit('customer.subscription.deleted', foreignSubscription(foreign));
      emit('charge.refunded', chargeObject(fixture.fakeStripe.ledger, foreignCharge));
    });
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, heldEvents);
    await drained(fixture);
    assert.equal(await eventsOn(fixture, subjects.account('nobody')), 0);
    assert.equal(await eventsOn(fixture, subjects.checkout('nobody', 'none')), 0);
  });
});

/** A sale of another system: its ids and metadata are unknown here. */
const foreign = {
  created: 1_700_000_000,
  customer: 'cus_unknown',
  metadata: { account: 'nobody', checkout: 'none' },
  payment: 'pi_unknown',
};

const foreignSession = {
  ...foreign,
  id: 'cs_unknown',
  mode: 'payment',
  lines: [],
  price: null,
  reference: null,
  childMetadata: {},
  expiresAt: foreign.created + 3_600,
  url: '',
  successUrl: '',
  cancelUrl: null,
  status: 'complete',
  paymentStatus: 'paid',
  subscription: null,
} as const;

const foreignSubscription = (of: { customer: string; metadata: Record<string, string> }) =>
  subscriptionObject({
    created: foreign.created,
    ...of,
    id: 'sub_unknown',
    price: 'price_unknown',
    amount: 1_000,
    status: 'active',
    periodStart: foreign.created,
    periodEnd: foreign.created + 3_600,
    invoice: 'in_unknown',
  });

const foreignCharge = { ...foreign, id: 'ch_unknown', amount: 1_000, disputed: false };
