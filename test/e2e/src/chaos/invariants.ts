import assert from 'node:assert/strict';
import { refundedOf, type FakeStripe } from '@almanac/fake-stripe';
import type { StoredAccount } from './stored-state.js';

const price = 500;

/** Throws while an operation of an account is in progress. */
const isAtRest = ({ state, checkouts, exports }: StoredAccount, { ledger }: FakeStripe): void => {
  assert.deepEqual(state.reservations, {}, 'every reservation is settled');
  const pending = exports.filter((one) => one.state.status === 'pending');
  assert.deepEqual(pending, [], 'every export has ended');
  for (const sale of checkouts) {
    const page = 'session' in sale ? ledger.session.get(sale.session?.id ?? '') : undefined;
    const isOpen = sale.status === 'opened' && page?.status === 'open';
    const hasEnded = ['joined', 'fulfilled', 'refunded', 'expired'].includes(sale.status);
    assert.ok(isOpen || hasEnded, `a checkout that is ${sale.status}, its page ${page?.status ?? 'none'}`);
    if ('owed' in sale) assert.deepEqual(sale.owed, []);
    if (state.checkout?.id === sale.id) assert.ok(isOpen, `the open checkout is ${sale.status}`);
  }
};

/** Charges minus refunds must equal the unlocks by purchase, and nothing may be charged twice. */
const isPaidOnce = ({ state, unlocks, checkouts }: StoredAccount, { ledger }: FakeStripe): void => {
  const ours = (customer: string): boolean => ledger.customer.get(customer)?.metadata['account'] === state.account;
  const netCharges = [...ledger.charge.values()]
    .filter(({ customer }) => ours(customer))
    .map(({ id, amount, metadata }) => ({ left: amount - refundedOf(ledger, id), checkout: metadata['checkout'] }))
    .filter(({ left }) => left > 0);
  const bought = unlocks.filter(({ by, locked_us: locked }) => by === 'purchase' && locked === null);
  const sum = netCharges.reduce((total, { left }) => total + left, 0);
  assert.equal(sum, bought.length * price, `${state.account}: what is charged and kept is what is unlocked`);
  assert.equal(
    new Set(netCharges.map(({ checkout }) => checkout)).size,
    netCharges.length,
    'no checkout was charged twice',
  );
  const sold = checkouts.flatMap((sale) =>
    'unlocked' in sale ? sale.unlocked.map((event) => `${event} by ${sale.id}`) : [],
  );
  const has = bought.map(({ event, checkout_id: id }) => `${event} by ${id}`);
  assert.deepEqual(
    sold.toSorted(),
    has.toSorted(),
    'each event is unlocked by the checkout that sold it, and by no other',
  );
  const live = [...ledger.subscription.values()].filter(
    ({ customer, status }) => ours(customer) && status !== 'canceled',
  );
  assert.ok(live.length <= 1, 'nobody pays for two plans');
  assert.equal(state.plan, live[0]?.metadata['plan'] ?? 'free', 'the plan is what is paid for');
};

/**
 * Each ready export has one confirmed grant, unless its event was bought meanwhile. Every other reservation was
 * released.
 */
export const isGrantedOnce = ({ state, unlocks, exports, grants }: StoredAccount): void => {
  const ends = new Map(exports.map((one) => [one.state.id, one]));
  for (const [id, grantHistory] of grants) {
    const what = `${id}: ${grantHistory.join(', ')}; ${ends.get(id)?.types.join(', ') ?? 'no export'}`;
    const count = (type: string): number => grantHistory.filter((one) => one.startsWith(type)).length;
    const [reserved, confirmed, released] = [count('GrantReserved'), count('GrantConfirmed'), count('GrantReleased')];
    assert.equal(reserved, confirmed + released, what);
    const isReady = ends.get(id)?.state.status === 'ready';
    const isBoughtMeanwhile = grantHistory.includes('GrantReleased: unlocked meanwhile');
    assert.equal(confirmed, isReady && !isBoughtMeanwhile ? 1 : 0, what);
  }
  for (const { state: its, types } of exports) {
    assert.ok(grants.has(its.id), `the file of ${its.id} was free`);
    assert.equal(types.length, its.status === 'abandoned' ? 1 : 2, types.join(', '));
  }
  const credited = unlocks.filter(({ by, locked_us: locked }) => by === 'free_credit' && locked === null);
  assert.equal(state.credits_used, credited.length, 'a credit spent is an event unlocked');
  assert.ok(state.credits_used >= 0 && state.credits_used <= state.credits_granted, 'credits');
};

/** Throws unless an account is at rest, and has paid for what it has, once. */
export const assertInvariants = (stored: StoredAccount, fakeStripe: FakeStripe): void => {
  isAtRest(stored, fakeStripe);
  isPaidOnce(stored, fakeStripe);
  isGrantedOnce(stored);
};
