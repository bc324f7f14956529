import assert from 'node:assert/strict';
import { subjects } from '@almanac/bus';
import { checkoutState, type PaymentMode, type UnlockState, unlockState } from '@almanac/contracts';
import { isFulfilled, type Sale } from '../../checkout/checkout.decider.js';
import type { CommerceContext } from '../../commerce-deps.js';
import { isUnlocked } from '../../unlock/unlock.decider.js';
import type { PaymentProviderStub } from './payment-provider-stub.js';
import { accounts, events, type MemoryEventStore } from './steps.js';

/** Throws unless each account was charged for what is unlocked, and nothing is unfinished. */
export const check = async (
  commerce: CommerceContext,
  { provider, memory, mode }: { provider: PaymentProviderStub; memory: MemoryEventStore; mode: PaymentMode },
): Promise<void> => {
  for (const account of accounts) {
    const state = await commerce.accounts.load(account);
    const sales = await salesOf(memory, account);
    const unlocks = await unlocksOf(memory, account);
    const sold = sales.flatMap((sale) =>
      isFulfilled(sale) ? sale.unlocked.map((event) => `${event} by ${sale.id}`) : [],
    );
    const bought = unlocks.flatMap(({ event, by, checkout_id: id }) =>
      by === 'purchase' ? [`${event} by ${id}`] : [],
    );
    assert.deepEqual(sold.toSorted(), bought.toSorted(), `${account}: what is sold is what is unlocked`);
    const unrefunded = sales.flatMap((sale) => (isFulfilled(sale) ? sale.owed : []));
    assert.deepEqual(unrefunded, [], `${account}: nothing is owed`);
    if (mode === 'stripe') assert.equal(provider.balanceOf(account), worthOf(sales), `${account}: what was charged`);
    const credited = unlocks.filter(({ by }) => by === 'free_credit').length;
    assert.equal(state.credits_used, credited, `${account}: a credit spent is an event unlocked`);
    assert.ok(state.credits_used >= 0 && state.credits_used <= state.credits_granted, `${account}: credits`);
    assert.deepEqual(state.reservations, {}, `${account}: every reservation is settled`);
    assert.equal(state.checkout, null, `${account}: no checkout hangs`);
    assert.ok(state.exports_today.count >= 0);
  }
};

/** The total price of these sales. */
const worthOf = (sales: readonly Sale[]): number =>
  sales
    .flatMap((sale) => (isFulfilled(sale) ? sale.lines.filter(({ event }) => sale.unlocked.includes(event)) : []))
    .reduce((sum, { price }) => sum + price, 0);

const salesOf = async (memory: MemoryEventStore, account: string): Promise<Sale[]> => {
  const sales: Sale[] = [];
  const prefix = `${subjects.account(account)}.checkout.`;
  for (const subject of new Set(memory.events.map((stored) => stored.subject))) {
    const state = subject.startsWith(prefix) ? (await memory.load(subject, checkoutState))?.state : undefined;
    if (state !== undefined && state.status !== 'joined') sales.push(state);
  }
  return sales;
};

const unlocksOf = async (memory: MemoryEventStore, account: string): Promise<UnlockState[]> => {
  const found = await Promise.all(events.map((event) => memory.load(subjects.unlock(account, event), unlockState)));
  return found.flatMap((loaded) => (loaded !== undefined && isUnlocked(loaded.state) ? [loaded.state] : []));
};
