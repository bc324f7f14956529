import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccountState, cartLinesMax, defaultPlans, type OpenCheckout } from '@almanac/contracts';
import { specificationOf } from '@almanac/event-store/testing';
import { accountDecider, type AccountCommand, type AccountEvent } from './account.decider.js';

const decider = accountDecider('acc');
const { given } = specificationOf(decider);
const opened: AccountEvent = { type: 'AccountOpened', data: { plan: 'free', credits: 1 } };
const line = (event: string) => ({ event, title: `About ${event}`, series: 'S', added_us: 1 });
const added = (event: string): AccountEvent => ({ type: 'CartLineAdded', data: line(event) });
const removed = (...events: string[]): AccountEvent => ({ type: 'CartLinesRemoved', data: { events } });
/** The events of a claim are unlocked. */
const noLocks = { locked: [], planOnly: false, parts: [], split: false };
const open = (id: string, ...events: string[]): OpenCheckout => ({ id, events, at_us: 5 });
const checkoutBegun = (id: string, ...events: string[]): AccountEvent => ({
  type: 'CheckoutBegun',
  data: open(id, ...events),
});
const closed = (id: string, ...events: string[]): AccountEvent => ({ type: 'CheckoutClosed', data: { id, events } });
const add = (event: string): AccountCommand => ({ type: 'add-line', line: line(event) });
const remove = (...events: string[]): AccountCommand => ({ type: 'remove-lines', events });
const begin = (id: string, ...events: string[]): AccountCommand => ({
  type: 'begin-checkout',
  checkout: open(id, ...events),
});
const close = (id: string, ...events: string[]): AccountCommand => ({ type: 'close-checkout', id, events });

describe('the cart', () => {
  it('has one line an event', () => {
    given([opened]).when(add('A')).then(added('A'));
    given([opened, added('A')])
      .when(add('A'))
      .then(null);
    given([opened, added('A')])
      .when(add('B'))
      .then(added('B'));
  });
  it('removes a line, and ignores the removal of an event that is not in it', () => {
    given([opened, added('A'), added('B')])
      .when(remove('A', 'C'))
      .then(removed('A'));
    given([opened, added('A')])
      .when(remove('C'))
      .then(null);
    given([opened, added('A'), removed('A')])
      .when(add('A'))
      .then(added('A'));
  });
  it('gets 1,000 events on one UTC day, since each of them is stored with the whole account', () => {
    const churn = Array.from({ length: 1_000 }, () => [added('A'), removed('A')]).flat();
    given([opened, ...churn])
      .when(add('A'))
      .thenThrows('cart_daily_limit');
    given([opened, ...churn.slice(0, -1)])
      .when(add('A'))
      .then(null);
    given([opened, ...churn.slice(2)])
      .when(add('A'))
      .then(added('A'));
    const tomorrow = { ...line('A'), added_us: 86_400_000_000 };
    given([opened, ...churn])
      .when({ type: 'add-line', line: tomorrow })
      .then({ type: 'CartLineAdded', data: tomorrow });
    given([opened, ...churn, { type: 'CartLineAdded', data: tomorrow }, removed('A')])
      .when({ type: 'add-line', line: tomorrow })
      .then({ type: 'CartLineAdded', data: tomorrow });
  });
  it('is full with a hundred events', () => {
    const full = Array.from({ length: cartLinesMax }, (_, n) => added(`E${n}`));
    given([opened, ...full])
      .when(add('ONE-MORE'))
      .thenThrows('cart_full');
    given([opened, ...full])
      .when(add('E7'))
      .then(null);
    given([opened, ...full, removed('E7')])
      .when(add('ONE-MORE'))
      .then(added('ONE-MORE'));
  });
  it('is full before its lines make the account too large', () => {
    const long = Array.from({ length: 99 }, (_, n) => added(`${n}-${'x'.repeat(250)}`));
    given([opened, ...long])
      .when(add('y'.repeat(250)))
      .thenThrows('cart_full');
  });
  it('removes an event that a free credit has paid for', () => {
    const reserved: AccountEvent = {
      type: 'GrantReserved',
      data: { export_id: 'x', grant: 'free_credit', day: '2026-11-20', at_us: 1, credit_event: 'A', claim: 'c' },
    };
    const state = [
      opened,
      added('A'),
      added('B'),
      reserved,
      { type: 'GrantConfirmed', data: { export_id: 'x' } } as const,
    ];
    assert.deepEqual(
      stateOf(state).cart.map(({ event }) => event),
      ['B'],
    );
  });
});

describe('the open checkout of an account', () => {
  const cart = [opened, added('A'), added('B')];
  it('is unique: the second of two at once changes nothing', () => {
    given(cart)
      .when(begin('one', 'A', 'B'))
      .then(checkoutBegun('one', 'A', 'B'));
    given([...cart, checkoutBegun('one', 'A', 'B')])
      .when(begin('two', 'A', 'B'))
      .then(null);
  });
  it('starts with the events that are still in the cart', () => {
    given([...cart, removed('B')])
      .when(begin('one', 'A', 'B'))
      .then(null);
  });
  it('removes the sold events from the cart when it closes, and leaves later ones', () => {
    const sold = [...cart, checkoutBegun('one', 'A', 'B'), added('C')];
    given(sold)
      .when(close('one', 'A', 'B'))
      .then(closed('one', 'A', 'B'));
    const { cart: left, checkout } = stateOf([...sold, closed('one', 'A', 'B')]);
    assert.deepEqual([left.map(({ event }) => event), checkout], [['C'], null]);
  });
  it('leaves the cart unchanged when it expires', () => {
    const { cart: left, checkout } = stateOf([...cart, checkoutBegun('one', 'A', 'B'), closed('one')]);
    assert.deepEqual([left.length, checkout], [2, null]);
  });
  it('closes once: an event that returns to the cart after a refund stays', () => {
    given([...cart, checkoutBegun('one', 'A', 'B'), closed('one', 'A', 'B'), added('A')])
      .when(close('one', 'A', 'B'))
      .then(null);
    given([...cart, checkoutBegun('two', 'A')])
      .when(close('one', 'A', 'B'))
      .then(null);
  });
});

describe('plan and subscription', () => {
  it('a paid plan is raised, never lowered', () => {
    const on = (plan: 'free' | 'pro' | 'full_book' | 'internal'): AccountEvent => ({
      type: 'AccountOpened',
      data: { plan, credits: 1 },
    });
    const raise = (plan: 'pro' | 'full_book'): AccountCommand => ({ type: 'raise-plan', plan });
    given([on('free')])
      .when(raise('pro'))
      .then({ type: 'PlanChanged', data: { plan: 'pro' } });
    given([on('pro')])
      .when(raise('full_book'))
      .then({ type: 'PlanChanged', data: { plan: 'full_book' } });
    for (const plan of ['full_book', 'internal'] as const)
      given([on(plan)])
        .when(raise('pro'))
        .then(null);
    given([on('pro')])
      .when(raise('pro'))
      .then(null);
  });
  it('the operator changes a plan up and down', () => {
    given([opened])
      .when({ type: 'change-plan', plan: 'internal' })
      .then({ type: 'PlanChanged', data: { plan: 'internal' } });
    given([opened]).when({ type: 'change-plan', plan: 'free' }).then(null);
  });
  it('the first customer of a payment provider stays', () => {
    const named: AccountEvent = { type: 'CustomerNamed', data: { customer_id: 'cus_1' } };
    given([opened]).when({ type: 'name-customer', customerId: 'cus_1' }).then(named);
    given([opened, named]).when({ type: 'name-customer', customerId: 'cus_2' }).then(null);
  });
  it('the current subscription decides the plan, and its repetition changes nothing', () => {
    const subscription = { id: 'sub_1', status: 'active', plan: 'pro', period_end_us: 9, past_due_us: null } as const;
    const changed: AccountEvent = { type: 'SubscriptionChanged', data: { subscription, plan: 'pro' } };
    const change: AccountCommand = { type: 'change-subscription', subscription, plan: 'pro' };
    given([opened]).when(change).then(changed);
    given([opened, changed]).when(change).then(null);
    given([opened, changed])
      .when({ type: 'change-subscription', subscription: null, plan: 'free' })
      .then({ type: 'SubscriptionChanged', data: { subscription: null, plan: 'free' } });
  });
  it('an account that was never opened refuses every command', () => {
    for (const command of [add('A'), remove('A'), begin('one', 'A'), close('one')]) {
      given([]).when(command).thenThrows('account_not_found');
    }
  });
});

describe('the size of an account', () => {
  it('stays below 64 KB after 100,000 purchases, with the fullest of carts and a checkout of all of it', () => {
    let state: AccountState | undefined;
    const run = (command: AccountCommand): void => {
      const domainEvent = decider.decide(command, state);
      if (domainEvent !== null) state = decider.evolve(state, domainEvent);
    };
    run({ type: 'open', plan: 'full_book', credits: 1 });
    const now = { us: 1, plans: defaultPlans, eventPrice: 500 };
    for (let n = 0; n < 100_000 / 50; n += 1) {
      const events = Array.from({ length: 50 }, (_, at) => `KXBTC15M-26FEB${n}-${at}`);
      for (const event of events) run({ type: 'add-line', line: { ...line(event), added_us: n * 86_400_000_000 } });
      run(begin(`c${n}`, ...events));
      run(close(`c${n}`, ...events));
      const claim = { exportId: `x${n}`, events: events.slice(0, 1), dayPack: false, l2: true, ...noLocks };
      run({ type: 'reserve', ...claim, now });
      run({ type: 'confirm', exportId: `x${n}` });
    }
    assert.deepEqual(state?.cart, []);
    const events: string[] = [];
    try {
      for (let n = 0; ; n += 1) {
        const event = `${n}-${'%'.repeat(80)}`;
        run({ type: 'add-line', line: { event, title: '💥'.repeat(120), series: 'S'.repeat(255), added_us: 1e15 } });
        events.push(event);
      }
    } catch {
      run(begin('last', ...events));
    }
    for (let n = 0; n < 20; n += 1) {
      run({
        type: 'reserve',
        exportId: `${n}`.repeat(36),
        events: ['E'.repeat(255)],
        dayPack: false,
        l2: false,
        ...noLocks,
        // A request with as many exports as it may have.
        parts: Array.from({ length: 31 }, () => ({ events: ['E'], locked: ['E'], planOnly: false })),
        split: true,
        now,
      });
    }
    const bytes = Buffer.byteLength(JSON.stringify(state));
    assert.ok(bytes < 65_536, `${bytes} bytes`);
    assert.equal(Object.keys(state?.reservations ?? {}).length, 20);
  });
});

const stateOf = (facts: readonly AccountEvent[]): AccountState => {
  const state = facts.reduce<AccountState | undefined>(
    (before, domainEvent) => decider.evolve(before, domainEvent),
    undefined,
  );
  assert.ok(state);
  return state;
};
