import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { accountState, DomainError } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { memoryStore } from '@almanac/event-store/testing';
import { createAccounts } from './accounts.js';

describe('the commands of one account', () => {
  it('are not run when their time is up before their turn', async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<void>();
    const gated: EventStore = {
      ...store,
      load: async (subject, state) => {
        await gate.promise;
        return store.load(subject, state);
      },
    };
    const accounts = createAccounts(gated, () => 1);
    const first = accounts.run('acc', { type: 'open', plan: 'free', credits: 1 }, { timeoutMs: 10_000 });
    const late = accounts.run('acc', { type: 'change-plan', plan: 'pro' }, { timeoutMs: 0 });
    const next = accounts.run('acc', { type: 'name-customer', customerId: 'c' }, { timeoutMs: 10_000 });
    gate.resolve();
    assert.equal((await first).plan, 'free');
    await assert.rejects(late, (error) => error instanceof DomainError && error.code === 'unavailable');
    assert.equal((await next).customer_id, 'c');
    const stored = await store.load(subjects.account('acc'), accountState);
    assert.deepEqual([stored?.state.plan, stored?.state.customer_id], ['free', 'c']);
  });
});
