import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { checkoutState, unlockState } from '@almanac/contracts';
import { personal } from '@almanac/fake-stripe';
import { eventually, seededRandom, testNumber } from '@almanac/testing';
import { type CommerceProcess, startProcess } from './commerce-process.js';
import { runRandomOperation, leftOf, type Trade } from './random-operations.js';
import { everything, drained } from './stripe-buyer.js';
import { startStripeFixture, type StripeFixture } from './stripe-fixture.js';

/** Short intervals, so that the test sees the end of purchases that a crash left open. */
const variables = {
  SWEEP_AFTER_S: '1',
  SWEEP_EVERY_S: '1',
  CHECKOUT_SWEEP_AFTER_S: '2',
  PLAN_TERMS: JSON.stringify({ free: { exportsPending: 20, exportsPerDay: 1_000 } }),
};
const failures = ['lock_timeout', 'rate_limited', 'unavailable', 'cut', 'cut_after', 'error_after'] as const;
const atOnce = 4;

/**
 * Random operations of people, Stripe and crashes run concurrently: in the end, charges minus refunds equal what is
 * unlocked. A seed fixes the operations but not their timing.
 */
export const chargesMatchUnlocks = ({
  operations,
  seed,
}: {
  readonly operations: number;
  readonly seed: number;
}): void => {
  const chosen = testNumber('seed', seed);
  void describe(`${operations} random operations with crashes (--seed ${chosen})`, () => {
    void it('unlock exactly what is paid, with at most one subscription, no reservation and no debt', async (test) => {
      const fixture = await startStripeFixture();
      const service = await startProcess(fixture, variables);
      try {
        const trade = await startTrade(fixture, seededRandom(chosen));
        fixture.fakeStripe.faults.always(0.1, failures, trade.random);
        const crashes = await tradeWithCrashes(trade, service, operations);
        fixture.fakeStripe.faults.clear();
        await drain(trade);
        for (const { account } of trade.traders) await assertChargesMatchUnlocks(trade, account);
        assert.deepEqual(fixture.fakeStripe.violations, []);
        await assertNoPersonalData(fixture, service);
        const { charge, refund, subscription } = fixture.fakeStripe.ledger;
        const sums = { charges: charge.size, refunds: refund.size, subscriptions: subscription.size };
        test.diagnostic(JSON.stringify({ ...sums, webhooks: fixture.fakeStripe.webhooks.events.length, crashes }));
      } finally {
        await service.stop();
        await fixture.stop();
      }
    });
  });
};

const startTrade = async (fixture: StripeFixture, random: () => number): Promise<Trade> => {
  const events = Array.from({ length: 10 }, () => `EV-${randomUUID()}`);
  for (const event of events) await fixture.recordEvent(event);
  const accounts = await Promise.all([
    fixture.openAccount('free'),
    fixture.openAccount('free'),
    fixture.openAccount('free'),
  ]);
  const traders = accounts.map((account) => ({ account, client: fixture.client(account) }));
  return { fixture, random, events, traders, price: 500 };
};

const tradeWithCrashes = async (trade: Trade, service: CommerceProcess, operations: number): Promise<number> => {
  let crashes = 0;
  for (let done = 0; done < operations; done += atOnce) {
    const doing = Array.from({ length: atOnce }, () => runRandomOperation(trade));
    // Kills the process at a random point of its work.
    if (trade.random() < 0.06) {
      await service.crash();
      crashes += 1;
    }
    await Promise.all(doing);
  }
  return crashes;
};

/** Delivers every webhook once more, in random order, until no service has anything left to do. */
const drain = async ({ fixture, traders, random }: Trade): Promise<void> => {
  const { webhooks } = fixture.fakeStripe;
  const shuffled = webhooks.events
    .map((event) => ({ event, at: random() }))
    .toSorted((one, other) => one.at - other.at);
  await webhooks.deliver(
    fixture.webhook,
    shuffled.map(({ event }) => event),
  );
  const undelivered = webhooks.events.slice(shuffled.length);
  await webhooks.deliver(fixture.webhook, undelivered);
  await drained(fixture);
  await eventually(
    async () => {
      for (const { account } of traders) {
        const { reservations, checkout } = await fixture.account(account);
        assert.deepEqual(reservations, {});
        if (checkout !== null) assert.equal(await pageOf(fixture, account, checkout.id), 'open');
      }
    },
    { timeoutMs: 60_000 },
  );
  // The sweeps may have caused more webhooks.
  await webhooks.deliver(fixture.webhook, webhooks.events.slice(shuffled.length));
  await drained(fixture);
};

const pageOf = async (fixture: StripeFixture, account: string, id: string): Promise<string> => {
  const sale = (await fixture.eventStore.load(subjects.checkout(account, id), checkoutState))?.state;
  const session = sale !== undefined && 'session' in sale ? sale.session : null;
  const page = fixture.fakeStripe.ledger.session.get(session?.id ?? '');
  // A payment that takes days keeps its checkout open, as its page did.
  const isPaying =
    page?.payment !== null && fixture.fakeStripe.ledger.payment.get(page?.payment ?? '')?.status === 'processing';
  return isPaying ? 'open' : (page?.status ?? 'none');
};

const assertChargesMatchUnlocks = async (trade: Trade, account: string): Promise<void> => {
  const { fixture, price, events } = trade;
  const { ledger } = fixture.fakeStripe;
  const state = await fixture.account(account);
  const ours = (customer: string) => ledger.customer.get(customer)?.metadata['account'] === account;
  const netCharges = [...ledger.charge.values()]
    .filter(({ customer }) => ours(customer))
    .reduce((sum, { id }) => sum + leftOf(trade, id), 0);
  const unlocks = await Promise.all(
    events.map(async (event) => (await fixture.eventStore.load(subjects.unlock(account, event), unlockState))?.state),
  );
  const now = unlocks.filter((unlock) => unlock?.locked_us === null);
  const bought = now.filter((unlock) => unlock?.by === 'purchase');
  assert.equal(netCharges, bought.length * price, 'what is charged and kept is what is unlocked');
  for (const unlock of bought) {
    const sale = await fixture.eventStore.load(subjects.checkout(account, unlock?.checkout_id ?? ''), checkoutState);
    assert.ok(sale !== undefined && 'unlocked' in sale.state);
    assert.ok(sale.state.unlocked.includes(unlock?.event ?? ''));
    assert.deepEqual(sale.state.owed, []);
  }
  assert.equal(state.credits_used, now.length - bought.length, 'a credit is spent on an event and on nothing else');
  assert.ok(state.credits_used >= 0 && state.credits_used <= state.credits_granted);
  const live = [...ledger.subscription.values()].filter(
    ({ customer, status }) => ours(customer) && status !== 'canceled',
  );
  assert.ok(live.length <= 1, 'nobody pays for two plans');
  const isPaid = live[0]?.status === 'active' || live[0]?.status === 'past_due';
  assert.equal(state.plan, isPaid ? live[0]?.metadata['plan'] : 'free');
};

const assertNoPersonalData = async (
  { fakeStripe, ...fixture }: StripeFixture,
  service: CommerceProcess,
): Promise<void> => {
  const allOutput = [...(await everything({ fakeStripe, ...fixture })), service.output()].join('\n');
  const secrets = [fakeStripe.secretKey, fakeStripe.webhookSecret, personal.email, personal.name, personal.phone];
  for (const secret of secrets) assert.equal(allOutput.includes(secret), false, secret);
};
