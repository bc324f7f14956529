import { randomUUID } from 'node:crypto';
import { DomainError } from '@almanac/contracts';
import { exportOf, type Client } from './world.js';
import { pageIdIn } from './stripe-buyer.js';
import type { StripeWorld } from './stripe-world.js';

export interface Trader {
  readonly account: string;
  readonly client: Client;
}

export interface Trade {
  readonly world: StripeWorld;
  readonly random: () => number;
  readonly traders: readonly Trader[];
  readonly events: readonly string[];
  /** Of one event, minor units. */
  readonly price: number;
}

/** Refusals that a client gets over: what it asked for has ended, is under way, or is not sold. */
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

/** One thing that somebody does, which may fail as things do. */
export const doSomething = async (trade: Trade): Promise<void> => {
  const { world, random } = trade;
  const trader = oneOf(trade, trade.traders);
  const event = oneOf(trade, trade.events);
  const deed = random() < 0.2 ? 'checkOutAndPay' : oneOf(trade, deedNames);
  try {
    await deeds[deed]({ ...trade, trader, event });
  } catch (error) {
    if (!(error instanceof DomainError) || !refusals.has(error.code)) throw error;
  }
  // Some webhooks come at once, some again, some very late.
  const held = world.standIn.webhooks.events;
  const some = held.filter((_, index) => random() < (index > held.length - 6 ? 0.5 : 0.05));
  for (const { body } of some) await world.tell(body, world.standIn.webhooks.sign(body)).catch(() => undefined);
};

interface Deed extends Trade {
  readonly trader: Trader;
  readonly event: string;
}

const oneOf = <T>({ random }: Pick<Trade, 'random'>, things: readonly T[]): T => {
  const chosen = things[Math.floor(random() * things.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
};

const maybe = <T>({ random }: Pick<Trade, 'random'>, things: readonly T[]): T | undefined =>
  things[Math.floor(random() * things.length)];

const deeds = {
  add: ({ trader, event }: Deed) => trader.client.add(event),
  addMore: async ({ trader, events, random }: Deed) => {
    for (const event of events) if (random() < 0.3) await trader.client.add(event);
  },
  remove: ({ trader, event }: Deed) => trader.client.remove(event),
  checkOut: ({ trader }: Deed) => trader.client.checkOut(),
  checkOutTwice: async ({ trader, random }: Deed) => {
    const key = `k${Math.floor(random() * 5)}`;
    await Promise.all([trader.client.checkOut(key), trader.client.checkOut(key)]);
  },
  checkOutAndPay: async (deed: Deed) => {
    const { checkout_url } = await deed.trader.client.checkOut();
    if (deed.world.standIn.ledger.session.get(pageIdIn(checkout_url))?.status === 'open') {
      deed.world.standIn.people.pay(pageIdIn(checkout_url));
    }
  },
  upgrade: ({ trader, random }: Deed) => trader.client.upgrade(random() < 0.5 ? 'pro' : 'full_book'),
  pay: (deed: Deed) => {
    const page = openPage(deed);
    if (page !== undefined) deed.world.standIn.people.pay(page);
    return Promise.resolve();
  },
  payLater: (deed: Deed) => {
    const { people, ledger } = deed.world.standIn;
    const page = openPage(deed);
    if (page !== undefined && ledger.session.get(page)?.mode === 'payment') people.payLater(page);
    return Promise.resolve();
  },
  comeThrough: (deed: Deed) => {
    const { people, ledger } = deed.world.standIn;
    const pending = [...ledger.session.values()].filter(
      ({ payment }) => payment !== null && ledger.payment.get(payment)?.status === 'processing',
    );
    const page = maybe(deed, pending);
    if (page !== undefined) people[deed.random() < 0.7 ? 'clear' : 'bounce'](page.id);
    return Promise.resolve();
  },
  closePage: (deed: Deed) => {
    const page = openPage(deed);
    if (page !== undefined) deed.world.standIn.people.expire(page);
    return Promise.resolve();
  },
  refund: (deed: Deed) => {
    const { people, ledger } = deed.world.standIn;
    const charge = maybe(deed, [...ledger.charge.values()]);
    const left = charge === undefined ? 0 : leftOf(deed, charge.id);
    if (charge !== undefined && left > 0) people.refund(charge.payment, deed.random() < 0.5 ? left : deed.price);
    return Promise.resolve();
  },
  renewal: (deed: Deed) => {
    const { people, ledger } = deed.world.standIn;
    const live = [...ledger.subscription.values()].filter(({ status }) => status !== 'canceled');
    const one = maybe(deed, live);
    if (one === undefined) return Promise.resolve();
    if (deed.random() < 0.4) people.failRenewal(one.id);
    else if (deed.random() < 0.7) people.renew(one.id);
    else people.endSubscription(one.id, deed.random() < 0.5 ? 'unpaid' : 'canceled');
    return Promise.resolve();
  },
  exports: async ({ world, trader, event, random }: Deed) => {
    const export_id = randomUUID();
    await world.reserve(trader.account, { export_id, events: [event] });
    const its = exportOf(world, trader.account, export_id);
    await its.requested();
    await (random() < 0.6 ? its.ready() : its.failed());
  },
} satisfies Record<string, (deed: Deed) => Promise<unknown>>;

// The keys of this very object.
const deedNames = Object.keys(deeds) as (keyof typeof deeds)[];

const openPage = (deed: Deed): string | undefined =>
  maybe(
    deed,
    [...deed.world.standIn.ledger.session.values()].filter(({ status }) => status === 'open'),
  )?.id;

/** Minor units of a charge that are not given back. */
export const leftOf = ({ world }: Pick<Trade, 'world'>, charge: string): number => {
  const { ledger } = world.standIn;
  const back = [...ledger.refund.values()].filter(
    (refund) => refund.charge === charge && refund.status === 'succeeded',
  );
  return (ledger.charge.get(charge)?.amount ?? 0) - back.reduce((sum, { amount }) => sum + amount, 0);
};
