import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { personal, refundedOf } from '@almanac/fake-stripe';
import { eventually } from '@almanac/testing';
import {
  buyerIn,
  chargeOf,
  checkoutOf,
  eventsOn,
  everything,
  heldAfter,
  isLockedAgain,
  lastSeq,
  pageIdIn,
  drained,
} from '../testing/stripe-buyer.js';
import { startStripeFixture, type StripeFixture } from '../testing/stripe-fixture.js';

let fixture: StripeFixture;
let service: { stop(): Promise<void> };
before(async () => {
  fixture = await startStripeFixture();
  service = await fixture.start();
});
after(async () => {
  await service.stop();
  await fixture.stop();
});

describe('a Stripe purchase', () => {
  afterEach(() => {
    fixture.fakeStripe.webhooks.send(null);
    fixture.fakeStripe.faults.clear();
    assert.deepEqual(fixture.fakeStripe.violations, []);
  });

  const buyer = () => buyerIn(fixture);

  it('ends on a hosted page, and its payment unlocks the cart once, with webhooks repeated and in reverse', async () => {
    const { account, cart, client, page, sessionId } = await (await buyer()).opens(3);
    assert.equal(page.status, 'pending');
    assert.deepEqual([page.mode, page.total.amount, page.unlocked], ['stripe', 1_500, []]);
    assert.equal((await client.cart()).count, 3);
    const heldEvents = heldAfter(fixture, () => fixture.fakeStripe.people.pay(sessionId));
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, [...heldEvents, ...heldEvents].toReversed());
    await eventually(async () => assert.equal((await client.cart()).count, 0));
    for (const event of cart) assert.ok(await fixture.isUnlocked(account, event));
    assert.equal(await fixture.reserve(account, { events: cart.slice(0, 1), l2: true }), 'unlock');
    await drained(fixture);
    for (const event of cart) assert.equal(await eventsOn(fixture, subjects.unlock(account, event)), 1);
    const state = await checkoutOf(fixture, account, sessionId);
    assert.deepEqual([state.status, 'unlocked' in state && state.unlocked], ['fulfilled', cart]);
    assert.deepEqual((await client.add(cart[0] ?? '')).already_unlocked, true);
  });

  it('has one page when it is requested twice, and another cart closes the first page', async () => {
    const { client, page, sessionId, adds } = await (await buyer()).opens(1);
    assert.equal((await client.checkOut()).checkout_url, page.checkout_url);
    await adds();
    const second = await client.checkOut('k');
    assert.notEqual(second.checkout_url, page.checkout_url);
    assert.equal(second.total.amount, 1_000);
    assert.equal(fixture.fakeStripe.ledger.session.get(sessionId)?.status, 'expired');
    assert.equal((await client.checkOut('k')).checkout_url, second.checkout_url);
  });

  it('that is paid while another cart is checked out is delivered, and not sold again', async () => {
    const { account, cart, client, sessionId, adds } = await (await buyer()).opens(1);
    const more = await adds();
    fixture.fakeStripe.people.pay(sessionId);
    const second = await client.checkOut();
    assert.equal(second.total.amount, 500);
    assert.ok(await fixture.isUnlocked(account, cart[0] ?? ''));
    assert.equal(await fixture.isUnlocked(account, more), false);
  });

  it('ignores a webhook with a wrong signature', async () => {
    const { account, cart, sessionId } = await (await buyer()).opens(1);
    const [held] = heldAfter(fixture, () => fixture.fakeStripe.people.pay(sessionId)).slice(-1);
    assert.ok(held);
    const stored = await lastSeq(fixture, 'EVT_STRIPE');
    const { sign } = fixture.fakeStripe.webhooks;
    assert.equal(await fixture.sendWebhook(held.body, sign(held.body, { secret: 'whsec_other' })), 'invalid_input');
    assert.equal(await lastSeq(fixture, 'EVT_STRIPE'), stored);
    assert.equal(await fixture.sendWebhook(held.body, sign(held.body)), 'ok');
    await eventually(async () => assert.ok(await fixture.isUnlocked(account, cart[0] ?? '')));
  });

  it('stores a webhook once for good, and no irrelevant one', async () => {
    const { sessionId } = await (await buyer()).opens(1);
    const heldEvents = heldAfter(fixture, () => fixture.fakeStripe.people.pay(sessionId));
    const first = await lastSeq(fixture, 'EVT_STRIPE');
    for (let round = 0; round < 3; round += 1) await fixture.fakeStripe.webhooks.deliver(fixture.webhook, heldEvents);
    assert.ok(heldEvents.some(({ type }) => type === 'charge.succeeded'));
    assert.equal((await lastSeq(fixture, 'EVT_STRIPE')) - first, 1);
  });

  it('with a payment that takes days is delivered when the money arrives, or returns to the cart', async () => {
    for (const end of ['clear', 'bounce'] as const) {
      const { account, cart, client, sessionId } = await (await buyer()).opens(1);
      fixture.fakeStripe.webhooks.send(fixture.webhook);
      fixture.fakeStripe.people.payLater(sessionId);
      await drained(fixture);
      assert.equal(await fixture.isUnlocked(account, cart[0] ?? ''), false);
      fixture.fakeStripe.people[end](sessionId);
      await eventually(async () => assert.equal((await fixture.account(account)).checkout, null));
      assert.equal(await fixture.isUnlocked(account, cart[0] ?? ''), end === 'clear');
      assert.equal((await client.cart()).count, end === 'clear' ? 0 : 1);
    }
  });

  it('leaves the cart unchanged for another page when its page closes unpaid', async () => {
    const { account, client, page, sessionId } = await (await buyer()).opens(2);
    fixture.fakeStripe.webhooks.send(fixture.webhook);
    fixture.fakeStripe.people.expire(sessionId);
    await eventually(async () => assert.equal((await fixture.account(account)).checkout, null));
    assert.equal((await client.cart()).count, 2);
    assert.notEqual((await client.checkOut()).checkout_url, page.checkout_url);
  });

  it('is refunded line by line: a refund takes the unlock, whoever made it, in whatever order webhooks arrive', async () => {
    const { account, cart, client, sessionId, payment } = await (await buyer()).opens(3);
    const heldEvents = heldAfter(fixture, () => {
      fixture.fakeStripe.people.pay(sessionId);
      // One line and an excess amount. The refund names no line, so it takes the last.
      fixture.fakeStripe.people.refund(payment(), 600);
    });
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, heldEvents.toReversed());
    await eventually(async () => assert.equal(await isLockedAgain(fixture, account, cart[2] ?? ''), true));
    await drained(fixture);
    assert.deepEqual(await Promise.all(cart.map((event) => fixture.isUnlocked(account, event))), [true, true, false]);
    const all = heldAfter(fixture, () => fixture.fakeStripe.people.refund(payment()));
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, [...all, ...heldEvents]);
    await eventually(async () => assert.equal((await checkoutOf(fixture, account, sessionId)).status, 'refunded'));
    for (const event of cart) assert.equal(await fixture.isUnlocked(account, event), false);
    await client.add(cart[0] ?? '');
    const again = await client.checkOut();
    fixture.fakeStripe.webhooks.send(fixture.webhook);
    fixture.fakeStripe.people.pay(pageIdIn(again.checkout_url));
    await eventually(async () => assert.ok(await fixture.isUnlocked(account, cart[0] ?? '')));
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, all);
    await drained(fixture);
    assert.ok(await fixture.isUnlocked(account, cart[0] ?? ''), 'an old refund locks nothing that was bought anew');
  });

  it('keeps a disputed event until the dispute is lost', async () => {
    for (const end of ['won', 'lost'] as const) {
      const { account, cart, sessionId, payment } = await (await buyer()).opens(1);
      fixture.fakeStripe.webhooks.send(fixture.webhook);
      fixture.fakeStripe.people.pay(sessionId);
      await eventually(async () => assert.ok(await fixture.isUnlocked(account, cart[0] ?? '')));
      const { id } = fixture.fakeStripe.people.dispute(payment());
      await drained(fixture);
      assert.ok(await fixture.isUnlocked(account, cart[0] ?? ''));
      fixture.fakeStripe.people.endDispute(id, end);
      await drained(fixture);
      await eventually(async () => assert.equal(await fixture.isUnlocked(account, cart[0] ?? ''), end === 'won'));
    }
  });

  it('refunds a line that was unlocked in another way meanwhile', async () => {
    const { account, cart, sessionId, payment } = await (await buyer()).opens(2);
    const event = cart[0] ?? '';
    const state = { account, event, by: 'free_credit', checkout_id: null, export_id: 'e', locked_us: null } as const;
    const facts = {
      id: randomUUID(),
      type: 'EventUnlocked',
      version: 1,
      time: 1,
      account,
      data: state,
      state,
    } as const;
    await fixture.eventStore.append(subjects.unlock(account, event), facts, 0);
    fixture.fakeStripe.faults.add({ kind: 'error_after', on: /POST .*refunds/ });
    fixture.fakeStripe.webhooks.send(fixture.webhook);
    fixture.fakeStripe.people.pay(sessionId);
    await eventually(() => assert.equal(refundedOf(fixture.fakeStripe.ledger, chargeOf(fixture, payment())), 500));
    await drained(fixture);
    const sale = await checkoutOf(fixture, account, sessionId);
    assert.deepEqual('unlocked' in sale && [sale.unlocked, sale.refunded], [cart.slice(1), [event]]);
    assert.ok(await fixture.isUnlocked(account, event));
  });

  it('is finished after an outage of Stripe and of the service', async () => {
    const { account, cart, client, sessionId, adds } = await (await buyer()).opens(1);
    fixture.fakeStripe.faults.always(1, ['unavailable', 'cut'], Math.random);
    await assert.rejects(
      adds().then(() => client.checkOut()),
      { code: 'unavailable' },
    );
    const heldEvents = heldAfter(fixture, () => fixture.fakeStripe.people.pay(sessionId));
    await fixture.fakeStripe.webhooks.deliver(fixture.webhook, heldEvents);
    await service.stop();
    service = await fixture.start();
    assert.equal(await fixture.isUnlocked(account, cart[0] ?? ''), false);
    fixture.fakeStripe.faults.clear();
    await eventually(async () => assert.ok(await fixture.isUnlocked(account, cart[0] ?? '')));
  });

  it('stores no personal data, secret or address', async () => {
    fixture.fakeStripe.webhooks.send(fixture.webhook);
    const { account, cart, sessionId, payment } = await (await buyer()).opens(1);
    fixture.fakeStripe.people.pay(sessionId);
    await eventually(async () => assert.ok(await fixture.isUnlocked(account, cart[0] ?? '')));
    fixture.fakeStripe.people.refund(payment());
    await eventually(async () => assert.equal(await fixture.isUnlocked(account, cart[0] ?? ''), false));
    const stored = (await everything(fixture)).join('\n');
    assert.match(stored, /checkout\.session\.completed/);
    const secrets = [fixture.fakeStripe.secretKey, fixture.fakeStripe.webhookSecret];
    const facts = [personal.email, personal.name, personal.phone, personal.address.line1, 'v1='];
    for (const text of [...secrets, ...facts]) assert.equal(stored.includes(text), false, text);
  });
});

describe('commerce without a Stripe key', () => {
  it('refuses a webhook so that Stripe repeats it, and does not start with a key but no webhook secret', async () => {
    await service.stop();
    service = await fixture.start({ STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined });
    assert.equal(await fixture.sendWebhook('{}', fixture.fakeStripe.webhooks.sign('{}')), 'invalid_input');
    await assert.rejects(fixture.start({ STRIPE_WEBHOOK_SECRET: undefined }), /STRIPE_WEBHOOK_SECRET/);
  });
});
