import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { execute } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { decision, refusal, withProcessPair } from './testing/pair.js';
import { upgradeDecider } from './upgrade/upgrade.decider.js';

describe('an upgrade without a payment provider', () => {
  const { fixture } = withProcessPair();

  it('applies at once', async () => {
    const account = await fixture().openAccount('free');
    const client = fixture().client(account);
    assert.deepEqual(await client.upgrade('pro'), { mode: 'stub', plan: 'pro', checkout_url: null });
    assert.equal(await client.plan(), 'pro');
    assert.equal(await fixture().reserve(account), 'plan');
    await client.upgrade('full_book');
    assert.equal(await client.plan(), 'full_book');
  });

  it('to the current plan changes nothing, to a lower one is refused', async () => {
    const client = fixture().client(await fixture().openAccount('full_book'));
    assert.deepEqual(await client.upgrade('full_book'), { mode: 'stub', plan: 'full_book', checkout_url: null });
    await assert.rejects(client.upgrade('pro'), refusal('not_an_upgrade'));
    await assert.rejects(
      fixture()
        .client(await fixture().openAccount('internal'))
        .upgrade('pro'),
      refusal('not_an_upgrade'),
    );
  });

  it('returns the first result for its key, and is refused with another plan', async () => {
    const client = fixture().client(await fixture().openAccount('free'));
    const first = await client.upgrade('pro', 'once');
    await assert.rejects(client.upgrade('full_book', 'once'), refusal('idempotency_conflict'));
    await client.upgrade('full_book', 'then');
    assert.deepEqual(await client.upgrade('pro', 'once'), first);
    assert.equal(await client.plan(), 'full_book');
  });

  it('to the current plan uses its key too', async () => {
    const client = fixture().client(await fixture().openAccount('pro'));
    await client.upgrade('pro', 'once');
    await assert.rejects(client.upgrade('full_book', 'once'), refusal('idempotency_conflict'));
  });

  it('finishes after a crash halfway, and never lowers a higher plan', async () => {
    const start = async (account: string) => {
      const id = randomUUID();
      await execute(fixture().eventStore, upgradeDecider(account, id), {
        ...decision(account, subjects.upgrade(account, id)),
        command: { type: 'start', mode: 'stub', plan: 'pro', price: 4_900, us: 1 },
      });
    };
    const [free, full] = [await fixture().openAccount('free'), await fixture().openAccount('full_book')];
    await Promise.all([start(free), start(full)]);
    await eventually(async () => assert.equal((await fixture().account(free)).plan, 'pro'));
    await start(full);
    assert.equal((await fixture().account(full)).plan, 'full_book');
  });

  it('has no portal', async () => {
    const client = fixture().client(await fixture().openAccount('free'));
    assert.deepEqual(await client.portal(), { mode: 'stub', portal_url: null });
  });
});
