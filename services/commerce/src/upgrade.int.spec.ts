import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { execute } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { decision, refusal, withTwo } from './testing/two.js';
import { upgradeDecider } from './upgrade/upgrade.decider.js';

describe('an upgrade without a payment provider', () => {
  const { world } = withTwo();

  it('holds at once', async () => {
    const account = await world().openAccount('free');
    const client = world().client(account);
    assert.deepEqual(await client.upgrade('pro'), { mode: 'stub', plan: 'pro', checkout_url: null });
    assert.equal(await client.plan(), 'pro');
    assert.equal(await world().reserve(account), 'plan');
    await client.upgrade('full_book');
    assert.equal(await client.plan(), 'full_book');
  });

  it('to the plan that one has changes nothing, to a lower one is refused', async () => {
    const client = world().client(await world().openAccount('full_book'));
    assert.deepEqual(await client.upgrade('full_book'), { mode: 'stub', plan: 'full_book', checkout_url: null });
    await assert.rejects(client.upgrade('pro'), refusal('not_an_upgrade'));
    await assert.rejects(
      world()
        .client(await world().openAccount('internal'))
        .upgrade('pro'),
      refusal('not_an_upgrade'),
    );
  });

  it('is answered under its key as the first time, and refused with another plan', async () => {
    const client = world().client(await world().openAccount('free'));
    const first = await client.upgrade('pro', 'once');
    await assert.rejects(client.upgrade('full_book', 'once'), refusal('idempotency_conflict'));
    await client.upgrade('full_book', 'then');
    assert.deepEqual(await client.upgrade('pro', 'once'), first);
    assert.equal(await client.plan(), 'full_book');
  });

  it('to the plan that one has holds its key too', async () => {
    const client = world().client(await world().openAccount('pro'));
    await client.upgrade('pro', 'once');
    await assert.rejects(client.upgrade('full_book', 'once'), refusal('idempotency_conflict'));
  });

  it('that a crash left half way is finished, but takes no higher plan away', async () => {
    const start = async (account: string) => {
      const id = randomUUID();
      await execute(world().truth, upgradeDecider(account, id), {
        ...decision(account, subjects.upgrade(account, id)),
        command: { type: 'start', mode: 'stub', plan: 'pro', price: 4_900, us: 1 },
      });
    };
    const [free, full] = [await world().openAccount('free'), await world().openAccount('full_book')];
    await Promise.all([start(free), start(full)]);
    await eventually(async () => assert.equal((await world().account(free)).plan, 'pro'));
    await start(full);
    assert.equal((await world().account(full)).plan, 'full_book');
  });

  it('has no portal', async () => {
    const client = world().client(await world().openAccount('free'));
    assert.deepEqual(await client.portal(), { mode: 'stub', portal_url: null });
  });
});
