import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AdminBus, connectBus, durables, subjects } from '@almanac/bus';
import { type CheckoutState, checkoutState, type StreamName, unlockState } from '@almanac/contracts';
import type { HeldEvent } from '@almanac/fake-stripe';
import { eventually } from '@almanac/testing';
import type { StripeFixture } from './stripe-fixture.js';

/** An account that buys its own events. */
export const buyerIn = async (fixture: StripeFixture) => {
  const account = await fixture.openAccount('free');
  const client = fixture.client(account);
  const adds = async (): Promise<string> => {
    const event = `EV-${randomUUID()}`;
    await fixture.recordEvent(event);
    await client.add(event);
    return event;
  };
  return {
    account,
    client,
    /** Adds this many events to the cart and opens the checkout page. */
    opens: async (count: number) => {
      const cart: string[] = [];
      while (cart.length < count) cart.push(await adds());
      const page = await client.checkOut();
      const sessionId = pageIdIn(page.checkout_url);
      const payment = (): string => {
        const found = fixture.fakeStripe.ledger.session.get(sessionId)?.payment;
        assert.ok(found);
        return found;
      };
      return { account, client, cart, page, sessionId, payment, adds };
    },
  };
};

/** The id of the page behind a URL. */
export const pageIdIn = (url: string | null): string => url?.split('/').at(-1) ?? '';

/** The webhooks that an action causes, held back. */
export const heldAfter = ({ fakeStripe }: StripeFixture, action: () => void): HeldEvent[] => {
  const count = fakeStripe.webhooks.events.length;
  action();
  return fakeStripe.webhooks.events.slice(count);
};

export const chargeOf = ({ fakeStripe }: StripeFixture, payment: string): string =>
  fakeStripe.ledger.payment.get(payment)?.charge ?? '';

export const checkoutOf = async (
  fixture: StripeFixture,
  account: string,
  sessionId: string,
): Promise<CheckoutState> => {
  const id = fixture.fakeStripe.ledger.session.get(sessionId)?.metadata['checkout'] ?? '';
  const loaded = await fixture.eventStore.load(subjects.checkout(account, id), checkoutState);
  assert.ok(loaded);
  return loaded.state;
};

/** Whether an event was unlocked and is locked again. */
export const isLockedAgain = async ({ eventStore }: StripeFixture, account: string, event: string): Promise<boolean> =>
  typeof (await eventStore.load(subjects.unlock(account, event), unlockState))?.state.locked_us === 'number';

const withBus = async <T>({ nats }: StripeFixture, work: (bus: AdminBus) => Promise<T>) => {
  const bus = await connectBus({ url: nats.url, user: 'commerce', password: 'test' });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
};

export const lastSeq = (fixture: StripeFixture, stream: StreamName): Promise<number> =>
  withBus(fixture, async (bus) => (await bus.jsm.streams.info(stream)).state.last_seq);

/** The number of events on a subject. */
export const eventsOn = (fixture: StripeFixture, subject: string): Promise<number> =>
  withBus(fixture, async (bus) => {
    const info = await bus.jsm.streams.info('EVT_COMMERCE', { subjects_filter: subject });
    return info.state.subjects?.[subject] ?? 0;
  });

/** Resolves when the service has handled everything that webhooks caused. */
export const drained = (fixture: StripeFixture): Promise<void> =>
  withBus(fixture, (bus) =>
    eventually(
      async () => {
        for (const [stream, durable] of watched) {
          const { num_pending, num_ack_pending } = await bus.jsm.consumers.info(stream, durable);
          assert.deepEqual([num_pending, num_ack_pending], [0, 0], durable);
        }
      },
      // Work that a crash interrupted is redelivered after ten seconds, and repeated failures after fifteen.
      { timeoutMs: 90_000 },
    ),
  );

const watched = [
  ['EVT_STRIPE', durables.commerceStripe],
  ['EVT_COMMERCE', durables.commerceCheckouts],
  ['EVT_EXPORT', durables.commerceExports],
] as const;

/** All stored data of purchases, as text. */
export const everything = (fixture: StripeFixture): Promise<string[]> =>
  withBus(fixture, async (bus) => {
    const texts: string[] = [];
    for (const stream of ['EVT_COMMERCE', 'EVT_STRIPE'] as const) {
      const { first_seq, last_seq } = (await bus.jsm.streams.info(stream)).state;
      for (let seq = first_seq; seq <= last_seq; seq += 1) {
        const message = await bus.jsm.streams.getMessage(stream, { seq });
        if (message !== null) texts.push(`${message.subject} ${message.string()}`);
      }
    }
    return texts;
  });
