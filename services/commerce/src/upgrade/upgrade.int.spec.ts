import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { commerceRpc } from '@almanac/contracts';
import { execute } from '@almanac/event-store';
import { newAccountId } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { decision, refusal, withProcessPair } from '../testing/pair.js';
import { upgradeDecider } from './upgrade.decider.js';

const remarks = ['This server has no payment provider, so no payment was taken.'];

describe('an upgrade without a payment provider', () => {
  const { fixture } = withProcessPair();

  it('applies at once', async () => {
    const account = await fixture().openAccount('free');
    const client = fixture().client(account);
    assert.deepEqual(await client.upgrade('pro'), { mode: 'stub', plan: 'pro', checkout_url: null, remarks });
    assert.equal(await client.plan(), 'pro');
    assert.equal(await fixture().reserve(account), 'plan');
    await client.upgrade('full_book');
    assert.equal(await client.plan(), 'full_book');
  });

  it('to the current plan changes nothing, to a lower one is refused', async () => {
    const client = fixture().client(await fixture().openAccount('full_book'));
    assert.deepEqual(await client.upgrade('full_book'), {
      mode: 'stub',
      plan: 'full_book',
      checkout_url: null,
      remarks,
    });
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

  it('or a downgrade is made by the operator at once', async () => {
    const account = await fixture().openAccount('free');
    const change = (plan: 'internal' | 'free') =>
      fixture().operator.call(commerceRpc.changePlan, { input: { account, plan }, context: { requestId: 'r' } });
    assert.deepEqual(await change('internal'), { account, plan: 'internal', before: 'free' });
    assert.deepEqual(await change('free'), { account, plan: 'free', before: 'internal' });
    assert.deepEqual(await change('free'), { account, plan: 'free', before: 'free' });
    const input = { account: newAccountId(), plan: 'pro' } as const;
    const unknown = fixture().operator.call(commerceRpc.changePlan, { input, context: { requestId: 'r' } });
    await assert.rejects(unknown, refusal('account_not_found'));
  });

  it('has no portal', async () => {
    const client = fixture().client(await fixture().openAccount('free'));
    assert.deepEqual(await client.portal(), { mode: 'stub', portal_url: null });
  });
});
