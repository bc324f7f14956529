import { describe, it } from 'node:test';
import { checkoutState } from '@almanac/contracts';
import { assertCarries, specificationOf } from '@almanac/event-store/testing';
import { type CheckoutCommand, checkoutDecider, type CheckoutEvent } from './checkout.decider.js';

const decider = checkoutDecider('acc', 'one');
const { given } = specificationOf(decider);
const lines = [
  { event: 'A', title: null, price: 500 },
  { event: 'B', title: 'b', price: 500 },
];
const session = { id: 'cs_1', url: 'https://pay.example/1', expires_us: 99 };

const start = (mode: 'stub' | 'stripe'): CheckoutCommand => ({ type: 'start', mode, lines, us: 1 });
const open: CheckoutCommand = { type: 'open', session };
const pay: CheckoutCommand = { type: 'pay', payment: 'pi_1' };
const fulfil: CheckoutCommand = { type: 'fulfil', unlocked: ['A'], owed: ['B'] };
const expire: CheckoutCommand = { type: 'expire', mode: 'stripe', us: 2 };
const refund = (...events: string[]): CheckoutCommand => ({ type: 'refund', events });

const started = (mode: 'stub' | 'stripe'): CheckoutEvent => ({
  type: 'CheckoutStarted',
  data: { mode, lines, started_us: 1 },
});
const opened: CheckoutEvent = { type: 'CheckoutOpened', data: session };
const paid: CheckoutEvent = { type: 'CheckoutPaid', data: { payment: 'pi_1' } };
const fulfilled: CheckoutEvent = { type: 'CheckoutFulfilled', data: { unlocked: ['A'], owed: ['B'] } };
const expired: CheckoutEvent = { type: 'CheckoutExpired', data: { mode: 'stripe', at_us: 2 } };
const refunded = (...events: string[]): CheckoutEvent => ({ type: 'CheckoutRefunded', data: { events } });
const saleFields = { id: 'one', account: 'acc', lines, total: 1_000, started_us: 1 };

describe('a checkout', () => {
  it('is started once, with its prices frozen', () => {
    given([]).when(start('stub')).then(started('stub'));
    given([started('stripe')])
      .when(start('stub'))
      .then(null);
    given([])
      .when(start('stripe'))
      .thenState({ status: 'started', mode: 'stripe', ...saleFields, session: null, payment: null });
  });
  it('is opened once', () => {
    given([started('stripe')])
      .when(open)
      .then(opened);
    given([started('stripe'), opened])
      .when(open)
      .then(null);
    given([started('stripe'), expired])
      .when(open)
      .then(null);
    given([]).when(open).then(null);
  });
  it('is paid once, even after it expired', () => {
    given([started('stripe'), opened])
      .when(pay)
      .then(paid);
    given([started('stripe'), opened, expired])
      .when(pay)
      .then(paid);
    given([started('stripe'), opened, paid])
      .when(pay)
      .then(null);
    given([started('stripe'), opened, paid, fulfilled])
      .when(pay)
      .then(null);
    given([expired]).when(pay).then(null);
  });
  it('is fulfilled once it is paid, which is at once in stub mode', () => {
    given([started('stub')])
      .when(fulfil)
      .then(fulfilled);
    given([started('stripe')])
      .when(fulfil)
      .then(null);
    given([started('stripe'), opened])
      .when(fulfil)
      .then(null);
    given([started('stripe'), opened, paid])
      .when(fulfil)
      .then(fulfilled);
    given([started('stripe'), opened, paid, fulfilled])
      .when(fulfil)
      .then(null);
  });
  it('expires while it is unpaid, but not when it never started', () => {
    given([started('stripe')])
      .when(expire)
      .then(expired);
    given([started('stripe'), opened])
      .when(expire)
      .then(expired);
    given([started('stub')])
      .when(expire)
      .then(null);
    given([started('stripe'), opened, paid])
      .when(expire)
      .then(null);
    given([started('stripe'), opened, paid, fulfilled])
      .when(expire)
      .then(null);
    given([]).when(expire).then(expired);
    given([expired]).when(start('stripe')).then(null);
  });
  it('owes the price of events that it could not unlock until that is refunded', () => {
    const done = [started('stripe'), opened, paid, fulfilled];
    given(done).when(refund('B')).then(refunded('B'));
    given([...done, refunded('B')])
      .when(refund('B'))
      .then(null);
    given(done)
      .when(refund('B'))
      .thenState({
        status: 'fulfilled',
        mode: 'stripe',
        ...saleFields,
        session,
        payment: 'pi_1',
        unlocked: ['A'],
        owed: [],
        refunded: ['B'],
        sold: ['A'],
      });
  });
  it('is refunded when all its lines are refunded', () => {
    const done = [started('stripe'), opened, paid, fulfilled, refunded('B')];
    given(done)
      .when(refund('A', 'B', 'C'))
      .then(refunded('A'));
    given(done)
      .when(refund('A'))
      .thenState({
        status: 'refunded',
        mode: 'stripe',
        ...saleFields,
        session,
        payment: 'pi_1',
        unlocked: [],
        owed: [],
        refunded: ['B', 'A'],
        sold: ['A'],
      });
    given([started('stripe'), opened])
      .when(refund('A'))
      .then(null);
  });
  it('keeps the key of a request that came while another checkout was open', () => {
    const joined: CheckoutEvent = { type: 'CheckoutJoined', data: { checkout: 'first', started_us: 3 } };
    given([]).when({ type: 'join', checkoutId: 'first', us: 3 }).then(joined);
    for (const command of [start('stub'), open, pay, fulfil, expire, refund('A')])
      given([joined]).when(command).then(null);
  });
});

describe('a checkout of a newer release', () => {
  it('keeps its fields in every event', () => {
    const common = { ...saleFields, mode: 'stripe', session, payment: null };
    const openCheckout = checkoutState.parse({ ...common, status: 'opened' });
    const sold = { unlocked: ['A'], owed: ['B'], refunded: [], sold: ['A'] };
    const done = checkoutState.parse({ ...common, ...sold, status: 'fulfilled' });
    for (const event of [paid, expired, fulfilled]) assertCarries(decider, { state: openCheckout, event });
    assertCarries(decider, { state: done, event: refunded('B') });
  });
});
