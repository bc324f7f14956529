import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { refusal, usd, withProcessPair } from './testing/pair.js';

describe('a cart', () => {
  const { fixture, events } = withProcessPair();

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

  it('accepts fifty events at once, at two processes', async () => {
    const many = await events(50);
    const client = fixture().client(await fixture().openAccount('free'));
    await Promise.all(many.map((event) => client.add(event)));
    const { count, items, total } = await client.cart();
    assert.deepEqual([count, total], [50, usd(25_000)]);
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
