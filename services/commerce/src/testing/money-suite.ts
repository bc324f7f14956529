import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { checkoutState, unlockState } from '@almanac/contracts';
import { personal } from '@almanac/test-stripe';
import { eventually, seeded } from '@almanac/testing';
import { type CommerceProcess, startProcess } from './commerce-process.js';
import { doSomething, leftOf, type Trade } from './random-trade.js';
import { everything, settled } from './stripe-buyer.js';
import { startStripeWorld, type StripeWorld } from './stripe-world.js';

/** Short, so that what a crash left open is closed within the test. */
const variables = {
  SWEEP_AFTER_S: '1',
  SWEEP_EVERY_S: '1',
  CHECKOUT_SWEEP_AFTER_S: '2',
  PLAN_TERMS: JSON.stringify({ free: { exportsPending: 20, exportsPerDay: 1_000 } }),
};
const failures = ['lock_timeout', 'rate_limited', 'unavailable', 'cut', 'cut_after', 'error_after'] as const;
const atOnce = 4;

/**
 * Whatever people, Stripe and crashes do at the same time: what is charged and not given back is what is unlocked. The
 * same seed does the same things, though not at the same moments; ALMANAC_MONEY_SEED sets it.
 */
export const moneyIsWhatIsUnlocked = ({ deeds, seed }: { readonly deeds: number; readonly seed: number }): void => {
  const chosen = Number(process.env['ALMANAC_MONEY_SEED'] ?? seed);
  void describe(`${deeds} things done at random, with crashes (seed ${chosen})`, () => {
    void it('leave unlocked what is paid, and nothing else; one subscription, no reservation and no debt', async (test) => {
      const world = await startStripeWorld();
      const service = await startProcess(world, variables);
      try {
        const trade = await market(world, seeded(chosen));
        world.standIn.faults.always(0.1, failures, trade.random);
        const crashes = await tradeWithCrashes(trade, service, deeds);
        world.standIn.faults.clear();
        await comeToRest(trade);
        for (const { account } of trade.traders) await assertHonest(trade, account);
        assert.deepEqual(world.standIn.violations, []);
        await assertDiscreet(world, service);
        const { charge, refund, subscription } = world.standIn.ledger;
        const sums = { charges: charge.size, refunds: refund.size, subscriptions: subscription.size };
        test.diagnostic(JSON.stringify({ ...sums, webhooks: world.standIn.webhooks.events.length, crashes }));
      } finally {
        await service.stop();
        await world.stop();
      }
    });
  });
};

const market = async (world: StripeWorld, random: () => number): Promise<Trade> => {
  const events = Array.from({ length: 10 }, () => `EV-${randomUUID()}`);
  for (const event of events) await world.recordEvent(event);
  const accounts = await Promise.all([world.openAccount('free'), world.openAccount('free'), world.openAccount('free')]);
  const traders = accounts.map((account) => ({ account, client: world.client(account) }));
  return { world, random, events, traders, price: 500 };
};

const tradeWithCrashes = async (trade: Trade, service: CommerceProcess, deeds: number): Promise<number> => {
  let crashes = 0;
  for (let done = 0; done < deeds; done += atOnce) {
    const doing = Array.from({ length: atOnce }, () => doSomething(trade));
    // In the middle of whatever they have come to.
    if (trade.random() < 0.06) {
      await service.crash();
      crashes += 1;
    }
    await Promise.all(doing);
  }
  return crashes;
};

/** Every webhook comes once more, in any order; then nothing is left that anybody would still do. */
const comeToRest = async ({ world, traders, random }: Trade): Promise<void> => {
  const { webhooks } = world.standIn;
  const shuffled = webhooks.events
    .map((event) => ({ event, at: random() }))
    .toSorted((one, other) => one.at - other.at);
  await webhooks.deliver(
    world.webhook,
    shuffled.map(({ event }) => event),
  );
  const late = webhooks.events.slice(shuffled.length);
  await webhooks.deliver(world.webhook, late);
  await settled(world);
  await eventually(
    async () => {
      for (const { account } of traders) {
        const { reservations, checkout } = await world.account(account);
        assert.deepEqual(reservations, {});
        if (checkout !== null) assert.equal(await pageOf(world, account, checkout.id), 'open');
      }
    },
    { timeoutMs: 60_000 },
  );
  // What the sweeps found may have set more going.
  await webhooks.deliver(world.webhook, webhooks.events.slice(shuffled.length));
  await settled(world);
};

const pageOf = async (world: StripeWorld, account: string, id: string): Promise<string> => {
  const sale = (await world.truth.load(subjects.checkout(account, id), checkoutState))?.state;
  const session = sale !== undefined && 'session' in sale ? sale.session : null;
  const page = world.standIn.ledger.session.get(session?.id ?? '');
  // A payment that takes days keeps its checkout open, as its page did.
  const isPaying =
    page?.payment !== null && world.standIn.ledger.payment.get(page?.payment ?? '')?.status === 'processing';
  return isPaying ? 'open' : (page?.status ?? 'none');
};

const assertHonest = async (trade: Trade, account: string): Promise<void> => {
  const { world, price, events } = trade;
  const { ledger } = world.standIn;
  const state = await world.account(account);
  const ours = (customer: string) => ledger.customer.get(customer)?.metadata['account'] === account;
  const kept = [...ledger.charge.values()]
    .filter(({ customer }) => ours(customer))
    .reduce((sum, { id }) => sum + leftOf(trade, id), 0);
  const unlocks = await Promise.all(
    events.map(async (event) => (await world.truth.load(subjects.unlock(account, event), unlockState))?.state),
  );
  const now = unlocks.filter((unlock) => unlock?.locked_us === null);
  const bought = now.filter((unlock) => unlock?.by === 'purchase');
  assert.equal(kept, bought.length * price, 'what is charged and kept is what is unlocked');
  for (const unlock of bought) {
    const sale = await world.truth.load(subjects.checkout(account, unlock?.checkout_id ?? ''), checkoutState);
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

const assertDiscreet = async ({ standIn, ...world }: StripeWorld, service: CommerceProcess): Promise<void> => {
  const told = [...(await everything({ standIn, ...world })), service.output()].join('\n');
  const secrets = [standIn.secretKey, standIn.webhookSecret, personal.email, personal.name, personal.phone];
  for (const secret of secrets) assert.equal(told.includes(secret), false, secret);
};
