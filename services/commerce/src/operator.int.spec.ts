import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commerceRpc } from '@almanac/contracts';
import { newAccountId } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { refusal, withTwo } from './testing/two.js';

describe('what the operator may', () => {
  const { world } = withTwo();
  const context = { requestId: 'r' };

  it('changes a plan up and down', async () => {
    const account = await world().openAccount('free');
    const change = (plan: 'internal' | 'free') =>
      world().operator.call(commerceRpc.changePlan, { input: { account, plan }, context });
    assert.deepEqual(await change('internal'), { account, plan: 'internal', before: 'free' });
    assert.deepEqual(await change('free'), { account, plan: 'free', before: 'internal' });
    assert.deepEqual(await change('free'), { account, plan: 'free', before: 'free' });
  });

  it('reads the history of an account and its things, in order, the newest of a long one', async () => {
    const account = await world().openAccount('free');
    await world().recordEvent('EV-H.5', { title: 'T' });
    const client = world().client(account);
    await client.add('EV-H.5');
    await client.checkOut();
    const read = (limit: number) => world().operator.call(commerceRpc.history, { input: { account, limit }, context });
    await eventually(async () => assert.equal((await read(100)).events.length, 7));
    const { events, has_more } = await read(100);
    assert.equal(has_more, false);
    assert.deepEqual(
      events.map(({ thing, type }) => `${thing} ${type}`),
      [
        'account AccountOpened',
        'account CartLineAdded',
        'account CheckoutBegun',
        'checkout CheckoutStarted',
        'unlock EventUnlocked',
        'checkout CheckoutFulfilled',
        'account CheckoutClosed',
      ],
    );
    assert.equal(events[4]?.id, 'EV-H.5');
    const newest = await read(2);
    assert.deepEqual([newest.events, newest.has_more], [events.slice(-2), true]);
  });

  it('is told of an account that there is not', async () => {
    const account = newAccountId();
    const input = { account, plan: 'pro' } as const;
    await assert.rejects(
      world().operator.call(commerceRpc.changePlan, { input, context }),
      refusal('account_not_found'),
    );
    await assert.rejects(world().operator.call(commerceRpc.history, { input, context }), refusal('account_not_found'));
  });
});
