import { describe, it } from 'node:test';
import { accountState, checkoutState, unlockState, upgradeState } from '@almanac/contracts';
import { assertCarries } from '@almanac/event-store/testing';
import { accountDecider, type AccountEvent } from './account/account.decider.js';
import { checkoutDecider } from './checkout/checkout.decider.js';
import { unlockDecider } from './unlock/unlock.decider.js';
import { upgradeDecider } from './upgrade/upgrade.decider.js';

const reservation = { grant: 'plan', day: '1970-01-01', at_us: 1, credit_event: null, claim: 'c' } as const;
const subscription = { id: 's', status: 'active', plan: 'pro', period_end_us: 1, past_due_us: null } as const;
const account = accountState.parse({
  account: 'a',
  plan: 'pro',
  credits_granted: 1,
  credits_used: 0,
  exports_today: { day: '1970-01-01', count: 2 },
  reservations: { e: { ...reservation, parts: { open: [0, 1], counted: [0, 1] } }, f: reservation },
  cart: [{ event: 'E', title: null, series: null, added_us: 1 }],
  checkout: { id: 'c', events: ['X'], at_us: 1 },
  subscription,
  upgrade: { id: 'u', plan: 'pro' },
});

describe('an account of a newer release', () => {
  const removes = (event: AccountEvent, ...removed: readonly string[]): void =>
    assertCarries(accountDecider('a'), { state: account, event, removed, maps: ['state.reservations'] });

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

describe('a purchase of a newer release', () => {
  it('keeps its fields in every event', () => {
    const checkout = {
      id: 'c',
      account: 'a',
      mode: 'stub',
      lines: [{ event: 'E', title: null, price: 1 }],
      total: 1,
      started_us: 1,
      session: { id: 's', url: 'u', expires_us: 2 },
      payment: null,
    };
    const opened = checkoutState.parse({ ...checkout, status: 'opened' });
    const fulfilled = checkoutState.parse({
      ...checkout,
      status: 'fulfilled',
      unlocked: ['E'],
      owed: ['F'],
      refunded: [],
      sold: ['E'],
    });
    const decider = checkoutDecider('a', 'c');
    assertCarries(decider, { state: opened, event: { type: 'CheckoutPaid', data: { payment: 'p' } } });
    assertCarries(decider, { state: opened, event: { type: 'CheckoutExpired', data: { mode: 'stub', at_us: 3 } } });
    assertCarries(decider, {
      state: opened,
      event: { type: 'CheckoutFulfilled', data: { unlocked: ['E'], owed: [] } },
    });
    assertCarries(decider, { state: fulfilled, event: { type: 'CheckoutRefunded', data: { events: ['F'] } } });
    const unlock = unlockState.parse({ account: 'a', event: 'E', by: 'purchase', checkout_id: 'c' });
    assertCarries(unlockDecider, { state: unlock, event: { type: 'UnlockRevoked', data: { locked_us: 1 } } });
    assertCarries(unlockDecider, { state: unlock, event: { type: 'EventUnlocked', data: unlock } });
    const upgrade = upgradeState.parse({
      status: 'opened',
      id: 'u',
      account: 'a',
      mode: 'stub',
      plan: 'pro',
      price: 1,
      started_us: 1,
      session: { id: 's', url: 'u', expires_us: 2 },
    });
    assertCarries(upgradeDecider('a', 'u'), { state: upgrade, event: { type: 'UpgradeCompleted', data: {} } });
  });
});
