import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commerceRpc } from '@almanac/contracts';
import { newAccountId } from '@almanac/runtime';
import { refusal, withProcessPair } from './testing/pair.js';

describe('the operator', () => {
  const { fixture } = withProcessPair();
  const context = { requestId: 'r' };

  it('changes a plan up and down', async () => {
    const account = await fixture().openAccount('free');
    const change = (plan: 'internal' | 'free') =>
      fixture().operator.call(commerceRpc.changePlan, { input: { account, plan }, context });
    assert.deepEqual(await change('internal'), { account, plan: 'internal', before: 'free' });
    assert.deepEqual(await change('free'), { account, plan: 'free', before: 'internal' });
    assert.deepEqual(await change('free'), { account, plan: 'free', before: 'free' });
  });

  it('gets an error for an unknown account', async () => {
    const account = newAccountId();
    const input = { account, plan: 'pro' } as const;
    await assert.rejects(
      fixture().operator.call(commerceRpc.changePlan, { input, context }),
      refusal('account_not_found'),
    );
    await assert.rejects(
      fixture().operator.call(commerceRpc.eraseAccount, { input: { account }, context }),
      refusal('account_not_found'),
    );
  });
});
