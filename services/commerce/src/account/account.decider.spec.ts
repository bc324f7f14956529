import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccountState, defaultPlans } from '@almanac/contracts';
import { specificationOf } from '@almanac/event-store/testing';
import { accountDecider, type AccountCommand, type AccountEvent } from './account.decider.js';
import { type Claim, type Now, quoteOf } from './grants.js';

const { given } = specificationOf(accountDecider('acc'));
const noonUs = Date.UTC(2026, 10, 20, 12) * 1_000;
const now: Now = { us: noonUs, plans: defaultPlans, eventPrice: 500 };

const opened = (plan: 'free' | 'pro' | 'full_book', credits = 1): AccountEvent => ({
  type: 'AccountOpened',
  data: { plan, credits },
});
const reserve = (exportId: string, claim: Partial<Claim & { now: Now }> = {}): AccountCommand => ({
  type: 'reserve',
  exportId,
  events: ['EV'],
  dayPack: false,
  l2: false,
  unlocked: false,
  now,
  ...claim,
});
/** Ids for the event `EV` without and with its books. */
const claim = { plain: 'NugdnSf1T1q_0E4ZfxBBbS', l2: '-RrDsr_bLCUp1rRRZN7646' };
const reserved = (
  export_id: string,
  grant: 'unlock' | 'plan' | 'free_credit',
  claimed = claim.plain,
): AccountEvent => ({
  type: 'GrantReserved',
  data: {
    export_id,
    grant,
    day: '2026-11-20',
    at_us: noonUs,
    credit_event: grant === 'free_credit' ? 'EV' : null,
    claim: claimed,
  },
});
const confirmed = (export_id: string): AccountEvent => ({ type: 'GrantConfirmed', data: { export_id } });
const released = (export_id: string): AccountEvent => ({
  type: 'GrantReleased',
  data: { export_id, reason: 'failed' },
});

describe('the grant of an export', () => {
  it('is the unlock for a bought event, whatever the plan', () => {
    given([opened('pro')])
      .when(reserve('a', { unlocked: true, l2: true }))
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
      .when(reserve('d', { ...limited, unlocked: true }))
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

describe('a quote', () => {
  const quoted = { events: ['EV'], dayPack: false, l2: false, unlocked: false };
  const usd = (amount: number) => ({ amount, currency: 'USD' });
  const stateOf = (...facts: AccountEvent[]) => {
    const decider = accountDecider('acc');
    const state = facts.reduce<AccountState | undefined>(
      (before, domainEvent) => decider.evolve(before, domainEvent),
      undefined,
    );
    assert.ok(state);
    return state;
  };
  it('is the grant that a reservation would get, without reserving it', () => {
    assert.deepEqual(quoteOf(quoted, stateOf(opened('free')), { now, locked: 1 }), {
      grant: 'free_credit',
      cost: usd(0),
      refusal: null,
    });
    const bought = { ...quoted, unlocked: true };
    assert.equal(quoteOf(bought, stateOf(opened('free', 0)), { now, locked: 0 }).grant, 'unlock');
  });
  it('lists the prices of the events that nothing covers, and the refusal', () => {
    const { grant, cost, refusal } = quoteOf(quoted, stateOf(opened('free', 0)), { now, locked: 1 });
    assert.deepEqual([grant, cost, refusal?.code], [null, usd(500), 'payment_required']);
    assert.ok(refusal?.code === 'payment_required');
    assert.deepEqual(
      refusal.options.map(({ type }) => type),
      ['buy_event', 'upgrade', 'upgrade'],
    );
    const pack = { ...quoted, dayPack: true, events: ['A', 'B', 'C'] };
    assert.deepEqual(quoteOf(pack, stateOf(opened('free')), { now, locked: 2 }).cost, usd(1_000));
    const nothingSold = { ...quoted, events: [] };
    assert.equal(quoteOf(nothingSold, stateOf(opened('free')), { now, locked: 0 }).cost, null);
  });
  it('names the refusal when a limit applies, at no cost', () => {
    const state = stateOf(opened('pro'), ...['a', 'b', 'c', 'd', 'e'].map((id) => reserved(id, 'plan')));
    assert.deepEqual(quoteOf(quoted, state, { now, locked: 1 }), {
      grant: null,
      cost: usd(0),
      refusal: {
        code: 'export_pending_limit',
        detail: "Your plan's limit for pending exports is 5. Wait until an export is ready, or cancel one.",
        retry_after_s: 10,
      },
    });
  });
});
