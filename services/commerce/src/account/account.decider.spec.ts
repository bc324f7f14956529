import { describe, it } from 'node:test';
import { accountState, defaultPlans } from '@almanac/contracts';
import { assertCarries } from '@almanac/event-store/testing';
import { given, now, opened, reserve, claim, reserved, confirmed, released } from '../testing/account-events.js';
import { type AccountCommand, accountDecider, type AccountEvent } from './account.decider.js';

describe('the grant of an export', () => {
  it('is the unlock for a bought event, whatever the plan', () => {
    given([opened('pro')])
      .when(reserve('a', { locked: [], l2: true }))
      .then(reserved('a', 'unlock', claim.l2));
  });
  it('is the plan that includes exports, for everything but books', () => {
    given([opened('pro', 0)])
      .when(reserve('a'))
      .then(reserved('a', 'plan'));
    given([opened('pro', 0)])
      .when(reserve('a', { l2: true }))
      .thenThrows('payment_required');
    given([opened('full_book', 0)])
      .when(reserve('a', { l2: true }))
      .then(reserved('a', 'plan', claim.l2));
  });
  it('is the free credit for one event, once', () => {
    given([opened('free')])
      .when(reserve('a'))
      .then(reserved('a', 'free_credit'));
    given([opened('free'), reserved('a', 'free_credit'), confirmed('a')])
      .when(reserve('b'))
      .thenThrows('payment_required');
  });
  it('is never the free credit for a day pack', () => {
    given([opened('free')])
      .when(reserve('a', { dayPack: true }))
      .thenThrows('payment_required');
  });
  it('is only a plan for a market without an event', () => {
    given([opened('free')])
      .when(reserve('a', { events: [] }))
      .thenThrows('payment_required');
  });
  it('never covers another target under the same export id', () => {
    for (const other of [{ l2: true }, { events: ['OTHER'] }, { dayPack: true }]) {
      given([opened('pro'), reserved('a', 'plan')])
        .when(reserve('a', other))
        .thenThrows('idempotency_conflict');
    }
  });
  it('does not change when the same export is requested again', () => {
    given([opened('free'), reserved('a', 'free_credit')])
      .when(reserve('a'))
      .then(null);
  });
});

describe('the limits of a plan', () => {
  const three = ['a', 'b', 'c'].flatMap((id) => [reserved(id, 'plan'), confirmed(id)]);
  it('refuse the fourth export of a day under a limit of three, but not a bought one', () => {
    const plans = { ...defaultPlans, pro: { ...defaultPlans.pro, exportsPerDay: 3 } };
    const limited = { now: { ...now, plans } };
    given([opened('pro'), ...three])
      .when(reserve('d', limited))
      .thenThrows('export_daily_limit');
    given([opened('pro'), ...three])
      .when(reserve('d', { ...limited, locked: [] }))
      .then(reserved('d', 'unlock'));
  });
  it('refuse an export when too many are pending', () => {
    given([opened('free', 2), reserved('a', 'free_credit')])
      .when(reserve('b'))
      .thenThrows('export_pending_limit');
  });
});

describe('the end of an export', () => {
  it('returns the credit and the place in the daily count when it is released', () => {
    given([opened('free'), reserved('a', 'free_credit'), released('a')])
      .when(reserve('b'))
      .then(reserved('b', 'free_credit'));
    given([opened('pro'), reserved('a', 'plan')])
      .when({ type: 'release', exportId: 'a', reason: 'failed' })
      .thenState({
        account: 'acc',
        plan: 'pro',
        credits_granted: 1,
        credits_used: 0,
        exports_today: { day: '2026-11-20', count: 0 },
        reservations: {},
        cart: [],
        checkout: null,
        customer_id: null,
        subscription: null,
        upgrade: null,
        erasures: 0,
      });
  });
  it('changes nothing when it is confirmed or released again', () => {
    given([opened('pro'), reserved('a', 'plan'), confirmed('a')])
      .when({ type: 'confirm', exportId: 'a' })
      .then(null);
    given([opened('pro'), reserved('a', 'plan'), confirmed('a')])
      .when({ type: 'release', exportId: 'a', reason: 'late' })
      .then(null);
  });
});

describe('opening an account', () => {
  it('happens once: the same plan again is accepted, another is refused', () => {
    given([]).when({ type: 'open', plan: 'free', credits: 1 }).then(opened('free'));
    given([opened('free')])
      .when({ type: 'open', plan: 'free', credits: 1 })
      .then(null);
    given([opened('free')])
      .when({ type: 'open', plan: 'pro', credits: 1 })
      .thenThrows('account_exists');
  });
  it('for a person happens once', () => {
    given([]).when({ type: 'open', plan: 'free', credits: 1, onlyNew: true }).then(opened('free'));
    given([opened('free')])
      .when({ type: 'open', plan: 'free', credits: 1, onlyNew: true })
      .thenThrows('account_exists');
  });
});

describe('forgetting the person', () => {
  const erase = (customerId: string | null): AccountCommand => ({ type: 'erase-person', record: true, customerId });
  const erased = (customer_id: string | null, plan: 'free' | 'pro' | 'internal'): AccountEvent => ({
    type: 'PersonErased',
    data: { record: true, customer_id, plan },
  });
  const named: AccountEvent = { type: 'CustomerNamed', data: { customer_id: 'cus_1' } };
  const month = { id: 'sub_1', status: 'active', plan: 'pro', period_end_us: 9, past_due_us: null } as const;
  const subscribed: AccountEvent = { type: 'SubscriptionChanged', data: { subscription: month, plan: 'pro' } };
  it('is recorded each time, and keeps a plan without a subscription', () => {
    given([opened('pro')])
      .when(erase(null))
      .then(erased(null, 'pro'));
    given([opened('pro'), erased(null, 'pro')])
      .when(erase(null))
      .then(erased(null, 'pro'));
    given([opened('pro'), named])
      .when(erase('cus_1'))
      .then(erased('cus_1', 'pro'));
  });
  it('ends the subscribed plan with the customer, but not one that the operator gave', () => {
    given([opened('free'), named, subscribed])
      .when(erase('cus_1'))
      .then(erased('cus_1', 'free'));
    given([opened('free'), named, subscribed, { type: 'PlanChanged', data: { plan: 'internal' } }])
      .when(erase('cus_1'))
      .then(erased('cus_1', 'internal'));
  });
  it('removes the customer', () => {
    given([opened('free'), named, subscribed, erased('cus_1', 'free')])
      .when({ type: 'name-customer', customerId: 'cus_2' })
      .then({ type: 'CustomerNamed', data: { customer_id: 'cus_2' } });
  });
});

describe('an account of a newer release', () => {
  const reservation = { grant: 'plan', day: '1970-01-01', at_us: 1, credit_event: null, claim: 'c' } as const;
  const state = accountState.parse({
    account: 'a',
    plan: 'pro',
    credits_granted: 1,
    credits_used: 0,
    exports_today: { day: '1970-01-01', count: 2 },
    reservations: { e: { ...reservation, parts: { open: [0, 1], counted: [0, 1] } }, f: reservation },
    cart: [{ event: 'E', title: null, series: null, added_us: 1 }],
    checkout: { id: 'c', events: ['X'], at_us: 1 },
    subscription: { id: 's', status: 'active', plan: 'pro', period_end_us: 1, past_due_us: null },
    upgrade: { id: 'u', plan: 'pro' },
  });
  const removes = (event: AccountEvent, ...removed: readonly string[]): void =>
    assertCarries(accountDecider('a'), { state, event, removed, maps: ['state.reservations'] });

  it('keeps its fields in every event, except in what the event removes or replaces', () => {
    removes({ type: 'PlanChanged', data: { plan: 'free' } });
    removes({ type: 'GrantReserved', data: { export_id: 'g', ...reservation } });
    removes({ type: 'GrantReserved', data: { export_id: 'g', ...reservation, day: '1970-01-02' } });
    removes({ type: 'GrantConfirmed', data: { export_id: 'e', part: 0 } });
    removes({ type: 'GrantReleased', data: { export_id: 'f', reason: 'r' } }, 'state.reservations.f');
    removes({ type: 'CartLinesRemoved', data: { events: ['E'] } }, 'state.cart.0');
    removes({ type: 'CheckoutClosed', data: { id: 'c', events: [] } }, 'state.checkout');
    removes({ type: 'CheckoutBegun', data: { id: 'd', events: [], at_us: 2 } }, 'state.checkout');
    removes({ type: 'UpgradeBegun', data: { id: 'v', plan: 'pro' } }, 'state.upgrade');
    removes({ type: 'CustomerNamed', data: { customer_id: 'c' } });
    removes({ type: 'SubscriptionChanged', data: { subscription: null, plan: 'free' } }, 'state.subscription');
  });
});
