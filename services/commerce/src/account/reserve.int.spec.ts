import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { bytesOf, subjects } from '@almanac/bus';
import { commerceRpc, defaultPlans, DomainError, nextUtcDayUs, type StoredKey } from '@almanac/contracts';
import { newAccountId, sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { type CommerceFixture, exportOf, type RunningService } from '../testing/fixture.js';
import { refusal, timeFromNoon, usd, withProcessPair } from '../testing/pair.js';

const outcomesOf = async (attempts: readonly Promise<unknown>[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const settled of await Promise.allSettled(attempts)) {
    const error: unknown = settled.status === 'rejected' ? settled.reason : undefined;
    const outcome = error === undefined ? 'granted' : error instanceof DomainError ? error.code : inspect(error);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

const limits = (api_keys: number, requests_per_minute: number, exports_per_day: number, exports_pending: number) => ({
  api_keys,
  requests_per_minute,
  exports_per_day,
  exports_pending,
});
const covers = (exports: boolean, books: boolean) => ({
  export_included: exports,
  l2_export: books,
  full_book: books,
});

const nowUs = timeFromNoon();
const { fixture, events, stopPair } = withProcessPair(nowUs);

describe('an account', () => {
  it('gets the same answer for the same export, which is one reservation', async () => {
    const account = await fixture().openAccount('free');
    const export_id = randomUUID();
    assert.equal(await fixture().reserve(account, { export_id }), 'free_credit');
    assert.equal(await fixture().reserve(account, { export_id }), 'free_credit');
    const { reservations, credits_used, exports_today } = await fixture().account(account);
    assert.deepEqual([Object.keys(reservations), credits_used, exports_today.count], [[export_id], 1, 1]);
  });

  it('gets no grant for another target under the same export id, even at once', async () => {
    const account = await fixture().openAccount('pro');
    const export_id = randomUUID();
    const outcomes = await outcomesOf([
      fixture().reserve(account, { export_id }),
      fixture().reserve(account, { export_id, events: ['OTHER'] }),
      fixture().reserve(account, { export_id, day_pack: true }),
    ]);
    assert.deepEqual(outcomes, { granted: 1, idempotency_conflict: 2 });
    await assert.rejects(fixture().reserve(account, { export_id, l2: true }), refusal('idempotency_conflict'));
  });

  it('on the free plan gets exactly one of twenty concurrent exports, at two processes', async () => {
    const account = await fixture().openAccount('free');
    const attempts = Array.from({ length: 20 }, (_, n) => fixture().reserve(account, { events: [`EV-${n % 10}`] }));
    assert.deepEqual(await outcomesOf(attempts), { granted: 1, export_pending_limit: 19 });
    assert.equal((await fixture().account(account)).credits_used, 1);
  });

  it('gets a quote of the grant without a reservation', async () => {
    const account = await fixture().openAccount('free');
    const client = fixture().client(account);
    assert.equal((await client.quote()).grant, 'free_credit');
    assert.equal((await client.quote()).grant, 'free_credit');
    assert.deepEqual((await fixture().account(account)).reservations, {});
    await fixture().reserve(account);
    assert.equal((await client.quote({ events: ['OTHER'] })).refusal?.code, 'export_pending_limit');
  });

  it('without limits gets all of twenty concurrent exports', async () => {
    const account = await fixture().openAccount('internal');
    const attempts = Array.from({ length: 20 }, () => fixture().reserve(account));
    assert.deepEqual(await outcomesOf(attempts), { granted: 20 });
    assert.equal(Object.keys((await fixture().account(account)).reservations).length, 20);
  });

  it('is told when a credit pays for order books that its plan does not cover, before and after', async () => {
    const account = await fixture().openAccount('pro');
    const remarks = [
      'A free export credit pays for this export, because the plan Pro covers exports only without order books ' +
        '(`l2`). The credit unlocks the event EV-T95999.99 permanently.',
    ];
    const quoted = await fixture().client(account).quote({ l2: true });
    assert.deepEqual([quoted.grant, quoted.cost?.amount, quoted.remarks], ['free_credit', 0, remarks]);
    const input = { export_id: randomUUID(), events: ['EV-T95999.99'], day_pack: false, l2: true };
    const context = { requestId: randomUUID(), account };
    const reserved = await fixture().exporter.rpc.call(commerceRpc.reserve, { input, context });
    assert.deepEqual(reserved, { grant: 'free_credit', parts: [], remarks });
    assert.deepEqual(
      (
        await fixture()
          .client(account)
          .quote({ events: ['OTHER'] })
      ).remarks,
      [],
    );
  });

  it('that was never opened is refused', async () => {
    await assert.rejects(fixture().reserve(newAccountId()), refusal('account_not_found'));
  });

  it('sees its plan, its limits and its usage exactly', async () => {
    const account = await fixture().openAccount('free');
    await storeKeys(fixture(), account);
    await fixture().reserve(account);
    const reply = await fixture().gateway.forward(commerceRpc.plan, {
      input: {},
      context: { requestId: 'r', account },
    });
    const answer: unknown = JSON.parse((await bytesOf(reply)).toString('utf8'));
    const resets_ts = nextUtcDayUs(nowUs()) / 1e6;
    // Compares the exact reply, so that an added field fails.
    assert.deepEqual(answer, {
      plan: { id: 'free', name: 'Free', price: { amount: 0, currency: 'USD' } },
      entitlements: {
        api_keys: { limit: 2, used: 1 },
        requests_per_minute: 120,
        exports_per_day: { limit: 3, used: 1, resets_ts },
        exports_pending: { limit: 1, used: 1 },
        export_included: false,
        l2_export: false,
        full_book: false,
      },
      free_export_credit: { granted: 1, used: 1, remaining: 0 },
      plans: [
        { id: 'free', name: 'Free', price: usd(0), ...limits(2, 120, 3, 1), ...covers(false, false) },
        { id: 'pro', name: 'Pro', price: usd(4_900), ...limits(10, 1_200, 200, 5), ...covers(true, false) },
        {
          id: 'full_book',
          name: 'Full book',
          price: usd(14_900),
          ...limits(50, 6_000, 1_000, 20),
          ...covers(true, true),
        },
      ],
    });
  });
});

describe('a deployment with its own plans', () => {
  const PLAN_TERMS = { ...defaultPlans, free: { ...defaultPlans.free, exportsPerDay: 2, exportsPending: 50 } };
  let service: RunningService;
  before(async () => {
    await stopPair();
    service = await fixture().start({ PLAN_TERMS, FREE_CREDITS: 3, EVENT_PRICE: 700 }, nowUs);
  });
  after(() => service.stop());

  it('applies its own limits, credits and prices', async () => {
    const account = await fixture().openAccount('free');
    const attempts = Array.from({ length: 10 }, () => fixture().reserve(account));
    assert.deepEqual(await outcomesOf(attempts), { granted: 2, export_daily_limit: 8 });
    const pack = fixture().reserve(await fixture().openAccount('free'), { day_pack: true });
    await assert.rejects(pack, refusal('payment_required'));
    const [event = ''] = await events(1);
    assert.deepEqual((await fixture().client(account).add(event)).total, usd(700));
  });

  it('counts reservations and purchases once for each recorded step, and shows the open ones', async () => {
    const figure = async (name: string, labels: Record<string, string> = {}): Promise<number> =>
      sumOfSamples(await service.samples(), name, labels) ?? 0;
    const grants = (outcome: string) => figure('almanac_grants_total', { outcome });
    const [open, reserved, confirmed] = [
      await figure('almanac_reservations_open'),
      await grants('reserved'),
      await grants('confirmed'),
    ];
    const isOpen = (more: number): Promise<void> =>
      eventually(async () => assert.equal(await figure('almanac_reservations_open'), open + more));
    const account = await fixture().openAccount('pro');
    const export_id = randomUUID();
    await fixture().reserve(account, { export_id });
    await fixture().reserve(account, { export_id });
    await isOpen(1);
    assert.equal(await grants('reserved'), reserved + 1);
    const its = exportOf(fixture(), account, export_id);
    await its.requested();
    await its.ready();
    await isOpen(0);
    assert.deepEqual([await grants('confirmed'), await grants('released')], [confirmed + 1, 0]);
    const [event = ''] = await events(1);
    const client = fixture().client(account);
    await client.add(event);
    await client.checkOut();
    for (const outcome of ['started', 'fulfilled'])
      assert.equal(await figure('almanac_checkouts_total', { outcome }), 1, outcome);
    await eventually(async () => assert.equal(await figure('almanac_checkouts_open'), 0));
    assert.equal(await figure('almanac_payment_failures_total'), 0);
  });
});

describe('an account without limits, but with credits', () => {
  let processes: readonly RunningService[];
  before(async () => {
    await stopPair();
    const free = { ...defaultPlans.free, exportsPerDay: null, exportsPending: null };
    const variables = { PLAN_TERMS: { ...defaultPlans, free }, FREE_CREDITS: 3 };
    processes = [await fixture().start(variables, nowUs), await fixture().start(variables, nowUs)];
  });
  after(async () => {
    for (const one of processes) await one.stop();
  });

  it('gets exactly three of thirty concurrent exports for three credits, at two processes', async () => {
    const account = await fixture().openAccount('free');
    const attempts = Array.from({ length: 30 }, (_, n) => fixture().reserve(account, { events: [`EV-${n}`] }));
    assert.deepEqual(await outcomesOf(attempts), { granted: 3, payment_required: 27 });
    const { credits_used, reservations } = await fixture().account(account);
    assert.deepEqual([credits_used, Object.keys(reservations).length], [3, 3]);
  });
});

/** Two keys, one of them revoked, as the keys service stores them. */
const storeKeys = async ({ keys }: CommerceFixture, account: string): Promise<void> => {
  const key = (id: string, revoked_us: number | null): StoredKey => ({
    id,
    name: 'k',
    last4: 'abcd',
    hash: 'h',
    created_us: 1,
    revoked_us,
  });
  const state = { account, keys: [key('a', null), key('b', 2)] };
  const event = { id: randomUUID(), type: 'KeyCreated', version: 1, time: 1, account, data: {}, state } as const;
  await keys.append(subjects.keyring(account), event, 0);
};
