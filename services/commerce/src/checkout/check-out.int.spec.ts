import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { checkoutState } from '@almanac/contracts';
import { execute } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import { accountDecider } from '../account/account.decider.js';
import { checkoutDecider } from './checkout.decider.js';
import { decision, refusal, usd, withProcessPair } from '../testing/pair.js';
import { exportOf } from '../testing/fixture.js';

const { fixture, events } = withProcessPair();

describe('a cart', () => {
  it('shows its lines with current prices, in the order of their addition', async () => {
    const [first = '', second = ''] = await events(2);
    const client = fixture().client(await fixture().openAccount('free'));
    assert.deepEqual(await client.cart(), { count: 0, items: [], total: usd(0) });
    await client.add(first);
    const shown = await client.add(second);
    const item = (event: string) => ({ event, title: `About ${event}`, series: 'EV', price: usd(500) });
    assert.deepEqual(shown, { count: 2, items: [item(first), item(second)], total: usd(1_000) });
    assert.deepEqual(await client.cart(), shown);
    assert.deepEqual(await client.add(first), shown, 'one line, however often');
    assert.deepEqual(await client.remove('NO-SUCH'), shown);
    assert.deepEqual(await client.remove(first), { count: 1, items: [item(second)], total: usd(500) });
  });

  it('refuses an event that is unknown or invalid', async () => {
    const client = fixture().client(await fixture().openAccount('free'));
    for (const event of ['NO-SUCH', '*', '>', 'a\0b', '💥'.repeat(120)]) {
      await assert.rejects(client.add(event), refusal('event_not_found'));
    }
    assert.equal((await client.cart()).count, 0);
  });

  it('cuts a long title', async () => {
    const event = `EV-${randomUUID()}`;
    await fixture().recordEvent(event, { title: '💥'.repeat(500) });
    const { items } = await fixture()
      .client(await fixture().openAccount('free'))
      .add(event);
    assert.deepEqual(items[0]?.title, `${'💥'.repeat(119)}…`);
  });

  it('accepts twenty events at once, at two processes', async () => {
    const many = await events(20);
    const client = fixture().client(await fixture().openAccount('free'));
    await Promise.all(many.map((event) => client.add(event)));
    const { count, items, total } = await client.cart();
    assert.deepEqual([count, total], [20, usd(10_000)]);
    assert.deepEqual(items.map(({ event }) => event).toSorted(), many.toSorted());
  });

  it('is never shown to another account', async () => {
    const [event = ''] = await events(1);
    const mine = fixture().client(await fixture().openAccount('free'));
    const yours = fixture().client(await fixture().openAccount('free'));
    await mine.add(event);
    assert.equal((await yours.cart()).count, 0);
    await yours.remove(event);
    await assert.rejects(yours.checkOut(), refusal('cart_empty'));
    assert.equal((await mine.cart()).count, 1);
  });
});

const unpaid = 'This server has no payment provider, so no payment was taken.';

describe('a cart of an account whose plan covers the events', () => {
  it('costs nothing, says so, and has nothing to buy', async () => {
    const [event = ''] = await events(1);
    const account = await fixture().openAccount('full_book');
    const client = fixture().client(account);
    const { total, items, remarks } = await client.add(event);
    assert.deepEqual([total, items[0]?.price, items[0]?.covered_by], [usd(0), usd(0), 'plan']);
    assert.deepEqual(remarks, [
      'Your plan Full book covers every event, so these cost nothing. A checkout leaves them out.',
    ]);
    await assert.rejects(client.checkOut(), refusal('cart_empty'));
    assert.equal(await fixture().isUnlocked(account, event), false);
    assert.equal((await client.cart()).count, 1);
  });

  it('is not paid if the plan came after the page was opened, and sells again on a smaller plan', async () => {
    const [event = ''] = await events(1);
    const account = await fixture().openAccount('free');
    const client = fixture().client(account);
    assert.deepEqual((await client.add(event)).total, usd(500));
    await client.upgrade('pro');
    const { total, items, remarks } = await client.cart();
    assert.deepEqual([total, items[0]?.covered_by], [usd(500), undefined]);
    assert.match(remarks?.join() ?? '', /covers exports without order books/);
    await client.upgrade('full_book');
    await assert.rejects(client.checkOut(), refusal('cart_empty'));
    assert.equal(await fixture().isUnlocked(account, event), false);
  });
});

describe('a checkout without a payment provider', () => {
  const filled = async (n: number) => {
    const account = await fixture().openAccount('free');
    const client = fixture().client(account);
    const bought = await events(n);
    for (const event of bought) await client.add(event);
    return { account, client, bought };
  };

  it('unlocks all events of the cart at once, and empties it', async () => {
    const { account, client, bought } = await filled(3);
    const answer = {
      mode: 'stub',
      status: 'completed',
      unlocked: bought,
      total: usd(1_500),
      checkout_url: null,
      remarks: [unpaid],
    };
    assert.deepEqual(await client.checkOut(), answer);
    assert.deepEqual(await client.cart(), { count: 0, items: [], total: usd(0) });
    for (const event of bought) assert.ok(await fixture().isUnlocked(account, event));
    assert.equal(await fixture().reserve(account, { events: bought.slice(0, 1), l2: true }), 'unlock');
    assert.equal((await fixture().account(account)).credits_used, 0);
    assert.equal((await fixture().account(account)).checkout, null);
    const [event = ''] = bought;
    const again = { count: 0, items: [], total: usd(0), already_unlocked: true };
    assert.deepEqual(await client.add(event), again);
  });

  it('returns the first result for its key, whatever the cart contains by then', async () => {
    const { client } = await filled(2);
    const first = await client.checkOut('once');
    assert.deepEqual(await client.checkOut('once'), first);
    const [more = ''] = await events(1);
    await client.add(more);
    assert.deepEqual(await client.checkOut('once'), first);
    assert.equal((await client.cart()).count, 1);
    assert.deepEqual((await client.checkOut('twice')).unlocked, [more]);
  });

  it('is one purchase, however many requests run at once', async () => {
    for (const key of ['one key', undefined]) {
      const { account, client, bought } = await filled(5);
      const checkouts = await Promise.allSettled(Array.from({ length: 10 }, () => client.checkOut(key)));
      const answers = checkouts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      for (const answer of answers) assert.deepEqual(answer.unlocked, bought);
      // Without a key, a request that comes after the others finds an empty cart.
      for (const one of checkouts) if (one.status === 'rejected') refusal('cart_empty')(one.reason);
      assert.ok(answers.length === 10 || key === undefined);
      assert.deepEqual(await soldOf(account), bought.toSorted());
    }
  });

  it('is one purchase under several concurrent keys, and each key repeats its answer', async () => {
    const { account, client, bought } = await filled(4);
    const keys = Array.from({ length: 8 }, (_, n) => `key ${n}`);
    const checkouts = await Promise.allSettled(keys.map((key) => client.checkOut(key)));
    assert.deepEqual(await soldOf(account), bought.toSorted());
    for (const [n, one] of checkouts.entries()) {
      if (one.status === 'rejected') refusal('cart_empty')(one.reason);
      else assert.deepEqual(await client.checkOut(keys[n]), one.value);
    }
  });

  it('sells events that were added while another one ran in a separate purchase, each event once', async () => {
    const { account, client, bought } = await filled(3);
    const more = await events(6);
    const work = more.flatMap((event) => [client.add(event), client.checkOut()]);
    for (const one of await Promise.allSettled(work)) {
      if (one.status === 'rejected') refusal('cart_empty')(one.reason);
    }
    await client.checkOut().catch(refusal('cart_empty'));
    assert.deepEqual(await soldOf(account), [...bought, ...more].toSorted());
  });

  it('does not sell an event that a credit has unlocked meanwhile', async () => {
    const { account, client, bought } = await filled(2);
    const [free = '', sold = ''] = bought;
    const id = randomUUID();
    await fixture().reserve(account, { export_id: id, events: [free] });
    const its = exportOf(fixture(), account, id);
    await its.requested();
    await its.ready();
    await eventually(async () => assert.equal((await client.cart()).count, 1));
    assert.deepEqual((await client.checkOut()).unlocked, [sold]);
    assert.deepEqual(await soldOf(account), [sold]);
  });

  it('returns the credit of an export whose event was bought before it was ready', async () => {
    const { account, client, bought } = await filled(1);
    const id = randomUUID();
    assert.equal(await fixture().reserve(account, { export_id: id, events: bought }), 'free_credit');
    await client.checkOut();
    const its = exportOf(fixture(), account, id);
    await its.requested();
    await its.ready();
    await eventually(async () => assert.deepEqual((await fixture().account(account)).reservations, {}));
    assert.equal((await fixture().account(account)).credits_used, 0);
  });

  it('finishes by itself after a crash anywhere', async () => {
    const account = await fixture().openAccount('free');
    const bought = await events(3);
    const lines = bought.map((event) => ({ event, title: null, price: 500 }));
    const id = randomUUID();
    const run = (command: Parameters<ReturnType<typeof accountDecider>['decide']>[0]) =>
      execute(fixture().eventStore, accountDecider(account), {
        ...decision(account, subjects.account(account)),
        command,
      });
    for (const event of bought)
      await run({ type: 'add-line', line: { event, title: null, series: null, added_us: 1 } });
    await run({ type: 'begin-checkout', checkout: { id, events: bought, at_us: 1 } });
    await execute(fixture().eventStore, checkoutDecider(account, id), {
      ...decision(account, subjects.checkout(account, id)),
      command: { type: 'start', mode: 'stub', lines, us: 1 },
    });
    await eventually(async () => {
      const { checkout, cart } = await fixture().account(account);
      assert.deepEqual([checkout, cart], [null, []]);
    });
    assert.deepEqual(await soldOf(account), bought.toSorted());
  });
});

/** The events of all checkouts of an account, each as often as it was charged. */
const soldOf = async (account: string): Promise<string[]> => {
  const checkouts = (await fixture().history(account)).filter(({ subject }) => subject.includes('.checkout.'));
  const sold: string[] = [];
  for (const subject of new Set(checkouts.map((event) => event.subject))) {
    const loaded = await fixture().eventStore.load(subject, checkoutState);
    if (loaded !== undefined && 'unlocked' in loaded.state) sold.push(...loaded.state.unlocked);
  }
  return sold.toSorted();
};

describe('an abandoned purchase', () => {
  let service: { stop(): Promise<void> };
  before(async () => {
    service = await fixture().start({ CHECKOUT_SWEEP_AFTER_S: 0.2, SWEEP_EVERY_S: 0.05 });
  });
  after(() => service.stop());

  it('that never started is given up, and its late start has no effect', async () => {
    const account = await fixture().openAccount('free');
    const [event = ''] = await events(1);
    const client = fixture().client(account);
    await client.add(event);
    const id = randomUUID();
    await execute(fixture().eventStore, accountDecider(account), {
      ...decision(account, subjects.account(account)),
      command: { type: 'begin-checkout', checkout: { id, events: [event], at_us: unixMicros() } },
    });
    await eventually(async () => assert.equal((await fixture().account(account)).checkout, null));
    const late = await execute(fixture().eventStore, checkoutDecider(account, id), {
      ...decision(account, subjects.checkout(account, id)),
      command: { type: 'start', mode: 'stub', lines: [{ event, title: null, price: 500 }], us: 1 },
    });
    assert.deepEqual([late?.changed, late?.state.status], [false, 'expired']);
    assert.equal(await fixture().isUnlocked(account, event), false);
    assert.deepEqual((await client.checkOut()).unlocked, [event]);
  });
});
