import { randomUUID } from 'node:crypto';
import { DomainError } from '@almanac/contracts';
import { exportOf, type Client } from './fixture.js';
import { pageIdIn } from './stripe-buyer.js';
import type { StripeFixture } from './stripe-fixture.js';

export interface Trader {
  readonly account: string;
  readonly client: Client;
}

export interface Trade {
  readonly fixture: StripeFixture;
  readonly random: () => number;
  readonly traders: readonly Trader[];
  readonly events: readonly string[];
  /** The price of one event in minor units. */
  readonly price: number;
}

/** Refusals that a client tolerates: the target has ended, is in progress, or is not for sale. */
const refusals = new Set([
  'unavailable',
  'conflict',
  'cart_empty',
  'idempotency_conflict',
  'payment_required',
  'export_pending_limit',
  'export_daily_limit',
  'not_an_upgrade',
  'internal',
]);

/** Runs one random operation, which may fail. */
export const runRandomOperation = async (trade: Trade): Promise<void> => {
  const { fixture, random } = trade;
  const trader = oneOf(trade, trade.traders);
  const event = oneOf(trade, trade.events);
  const operation = random() < 0.2 ? 'checkOutAndPay' : oneOf(trade, operationNames);
  try {
    await operations[operation]({ ...trade, trader, event });
  } catch (error) {
    if (!(error instanceof DomainError) || !refusals.has(error.code)) throw error;
  }
  // Delivers some webhooks at once, some twice, and some very late.
  const held = fixture.fakeStripe.webhooks.events;
  const some = held.filter((_, index) => random() < (index > held.length - 6 ? 0.5 : 0.05));
  for (const { body } of some)
    await fixture.sendWebhook(body, fixture.fakeStripe.webhooks.sign(body)).catch(() => undefined);
};

interface OperationContext extends Trade {
  readonly trader: Trader;
  readonly event: string;
}

const oneOf = <T>({ random }: Pick<Trade, 'random'>, items: readonly T[]): T => {
  const chosen = items[Math.floor(random() * items.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
};

const maybeOneOf = <T>({ random }: Pick<Trade, 'random'>, items: readonly T[]): T | undefined =>
  items[Math.floor(random() * items.length)];

const operations = {
  add: ({ trader, event }: OperationContext) => trader.client.add(event),
  addMore: async ({ trader, events, random }: OperationContext) => {
    for (const event of events) if (random() < 0.3) await trader.client.add(event);
  },
  remove: ({ trader, event }: OperationContext) => trader.client.remove(event),
  checkOut: ({ trader }: OperationContext) => trader.client.checkOut(),
  checkOutTwice: async ({ trader, random }: OperationContext) => {
    const key = `k${Math.floor(random() * 5)}`;
    await Promise.all([trader.client.checkOut(key), trader.client.checkOut(key)]);
  },
  checkOutAndPay: async (context: OperationContext) => {
    const { checkout_url } = await context.trader.client.checkOut();
    if (context.fixture.fakeStripe.ledger.session.get(pageIdIn(checkout_url))?.status === 'open') {
      context.fixture.fakeStripe.people.pay(pageIdIn(checkout_url));
    }
  },
  upgrade: ({ trader, random }: OperationContext) => trader.client.upgrade(random() < 0.5 ? 'pro' : 'full_book'),
  pay: (context: OperationContext) => {
    const page = openPage(context);
    if (page !== undefined) context.fixture.fakeStripe.people.pay(page);
    return Promise.resolve();
  },
  payLater: (context: OperationContext) => {
    const { people, ledger } = context.fixture.fakeStripe;
    const page = openPage(context);
    if (page !== undefined && ledger.session.get(page)?.mode === 'payment') people.payLater(page);
    return Promise.resolve();
  },
  comeThrough: (context: OperationContext) => {
    const { people, ledger } = context.fixture.fakeStripe;
    const pending = [...ledger.session.values()].filter(
      ({ payment }) => payment !== null && ledger.payment.get(payment)?.status === 'processing',
    );
    const page = maybeOneOf(context, pending);
    if (page !== undefined) people[context.random() < 0.7 ? 'clear' : 'bounce'](page.id);
    return Promise.resolve();
  },
  closePage: (context: OperationContext) => {
    const page = openPage(context);
    if (page !== undefined) context.fixture.fakeStripe.people.expire(page);
    return Promise.resolve();
  },
  refund: (context: OperationContext) => {
    const { people, ledger } = context.fixture.fakeStripe;
    const charge = maybeOneOf(context, [...ledger.charge.values()]);
    const left = charge === undefined ? 0 : leftOf(context, charge.id);
    if (charge !== undefined && left > 0) people.refund(charge.payment, context.random() < 0.5 ? left : context.price);
    return Promise.resolve();
  },
  renewal: (context: OperationContext) => {
    const { people, ledger } = context.fixture.fakeStripe;
    const live = [...ledger.subscription.values()].filter(({ status }) => status !== 'canceled');
    const one = maybeOneOf(context, live);
    if (one === undefined) return Promise.resolve();
    if (context.random() < 0.4) people.failRenewal(one.id);
    else if (context.random() < 0.7) people.renew(one.id);
    else people.endSubscription(one.id, context.random() < 0.5 ? 'unpaid' : 'canceled');
    return Promise.resolve();
  },
  exports: async ({ fixture, trader, event, random }: OperationContext) => {
    const export_id = randomUUID();
    await fixture.reserve(trader.account, { export_id, events: [event] });
    const its = exportOf(fixture, trader.account, export_id);
    await its.requested();
    await (random() < 0.6 ? its.ready() : its.failed());
  },
} satisfies Record<string, (context: OperationContext) => Promise<unknown>>;

const operationNames = Object.keys(operations) as (keyof typeof operations)[];

const openPage = (context: OperationContext): string | undefined =>
  maybeOneOf(
    context,
    [...context.fixture.fakeStripe.ledger.session.values()].filter(({ status }) => status === 'open'),
  )?.id;

/** The part of a charge that is not refunded, in minor units. */
export const leftOf = ({ fixture }: Pick<Trade, 'fixture'>, charge: string): number => {
  const { ledger } = fixture.fakeStripe;
  const back = [...ledger.refund.values()].filter(
    (refund) => refund.charge === charge && refund.status === 'succeeded',
  );
  return (ledger.charge.get(charge)?.amount ?? 0) - back.reduce((sum, { amount }) => sum + amount, 0);
};
