import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccountState, defaultPlans, DomainError } from '@almanac/contracts';
import { given, noonUs, now, opened, reserve, reserved, confirmed, stateOfAll } from '../testing/account-events.js';
import { accountDecider, type AccountCommand, type AccountEvent } from './account.decider.js';
import { type Claim, grantOf, quoteOf } from './grants.js';

describe('the grant of a request with several exports', () => {
  const part = (event: string, locked: boolean) => ({
    events: [event],
    locked: locked ? [event] : [],
    planOnly: false,
  });
  const several = (...locked: boolean[]) => {
    const parts = locked.map((isLocked, n) => part(`E${n}`, isLocked));
    const events = parts.flatMap((one) => one.events);
    return { events, locked: parts.flatMap((one) => one.locked), parts, dayPack: true, split: true };
  };
  const grants = { plan: 'plan', unlock: 'unlock' } as const;
  const group = (grant: 'plan' | 'unlock', counted: number[], open = [0, 1, 2]): AccountEvent => {
    const claimed = '0tHm0nfMSOVLGJEQrQvQ2Y';
    const data = { export_id: 'g', grant: grants[grant], day: '2026-11-20', at_us: noonUs, credit_event: null };
    return { type: 'GrantReserved', data: { ...data, claim: claimed, parts: { open, counted } } };
  };
  const withoutClaim = (facts: AccountEvent[], command: AccountCommand) => {
    const decider = accountDecider('acc');
    const state = facts.reduce<AccountState | undefined>((before, one) => decider.evolve(before, one), undefined);
    const decided = decider.decide(command, state);
    return decided?.type === 'GrantReserved' ? { ...decided.data, claim: '' } : decided;
  };
  const shown = (event: AccountEvent) => (event.type === 'GrantReserved' ? { ...event.data, claim: '' } : event);

  it('is one reservation, in which unlocked exports do not count for the day', () => {
    const facts = [opened('pro')];
    assert.deepEqual(withoutClaim(facts, reserve('g', several(true, false, true))), shown(group('plan', [0, 2])));
    const all = reserve('g', several(false, false, false));
    assert.deepEqual(withoutClaim([opened('free')], all), shown(group('unlock', [])));
  });
  it('is refused as a whole when one export is not covered, and never uses a credit', () => {
    for (const locked of [several(false, true, false), several(true)]) {
      given([opened('free')])
        .when(reserve('g', locked))
        .thenThrows('payment_required');
    }
  });
  it('is refused when the day has too few exports left, whatever is pending', () => {
    const plans = { ...defaultPlans, pro: { ...defaultPlans.pro, exportsPerDay: 3 } };
    const limited = { now: { ...now, plans } };
    given([opened('pro'), reserved('a', 'plan'), confirmed('a')])
      .when(reserve('g', { ...several(true, true, true), ...limited }))
      .thenThrows('export_daily_limit');
    const fits = reserve('g', { ...several(true, true, false), ...limited });
    assert.ok(withoutClaim([opened('pro'), reserved('a', 'plan'), confirmed('a')], fits));
    const four = quoteOf({ ...quotedParts(several(true, true, true, true)) }, stateOfAll(opened('pro')), limited.now);
    assert.equal(
      four.refusal?.detail,
      "Your plan's limit for exports per UTC day is 3. This request needs 4, and 3 are left. Request fewer files.",
    );
  });
  it('takes one place among the pending ones until its last export ends', () => {
    const plans = { ...defaultPlans, pro: { ...defaultPlans.pro, exportsPending: 1 } };
    const limited = { now: { ...now, plans } };
    const ends = [0, 2].map((one): AccountEvent => ({ type: 'GrantConfirmed', data: { export_id: 'g', part: one } }));
    given([opened('pro'), group('plan', [0, 1, 2]), ...ends])
      .when(reserve('b', limited))
      .thenThrows('export_pending_limit');
    const last: AccountEvent = { type: 'GrantConfirmed', data: { export_id: 'g', part: 1 } };
    given([opened('pro'), group('plan', [0, 1, 2]), ...ends, last])
      .when(reserve('b', limited))
      .then(reserved('b', 'plan'));
  });
  it('returns the place of the day of each export that fails, once, and of all that are open when it is abandoned', () => {
    const release = (one?: number): AccountEvent => ({
      type: 'GrantReleased',
      data: { export_id: 'g', reason: 'failed', ...(one === undefined ? {} : { part: one }) },
    });
    const countAfter = (...facts: AccountEvent[]) => {
      const { exports_today, reservations } = stateOfAll(opened('pro'), group('plan', [0, 2]), ...facts);
      return [exports_today.count, reservations['g']?.parts?.open ?? null];
    };
    assert.deepEqual(countAfter(), [2, [0, 1, 2]]);
    assert.deepEqual(countAfter(release(0)), [1, [1, 2]]);
    assert.deepEqual(countAfter(release(1)), [2, [0, 2]]);
    assert.deepEqual(countAfter(release(0), release()), [0, null]);
    given([opened('pro'), group('plan', [0, 2]), release(0)])
      .when({ type: 'release', exportId: 'g', part: 0, reason: 'failed' })
      .then(null);
  });
});

/** A claim as a quote gets it. */
const quotedParts = (claimed: Pick<Claim, 'events' | 'locked' | 'parts' | 'dayPack' | 'split'>): Claim => ({
  ...claimed,
  planOnly: false,
  l2: false,
});

describe('a quote', () => {
  const quoted: Claim = {
    events: ['EV'],
    locked: ['EV'],
    planOnly: false,
    dayPack: false,
    l2: false,
    parts: [],
    split: false,
  };
  const usd = (amount: number) => ({ amount, currency: 'USD' });
  it('is the grant that a reservation would get, without reserving it', () => {
    const { grant, cost, refusal, remarks } = quoteOf(quoted, stateOfAll(opened('free')), now);
    assert.deepEqual([grant, cost, refusal], ['free_credit', usd(0), null]);
    assert.deepEqual(remarks, [
      'A free export credit pays for this export, because the plan Free does not cover this export. ' +
        'The credit unlocks the event EV permanently.',
    ]);
    const bought = { ...quoted, locked: [] };
    const unlocked = quoteOf(bought, stateOfAll(opened('free', 0)), now);
    assert.deepEqual([unlocked.grant, unlocked.remarks], ['unlock', []]);
  });
  it('uses no credit if the request says so, and names the credit in the refusal', () => {
    const refusedOf = (state: AccountState) => quoteOf({ ...quoted, useFreeCredit: false }, state, now);
    const { grant, refusal } = refusedOf(stateOfAll(opened('free')));
    assert.deepEqual([grant, refusal?.code], [null, 'payment_required']);
    assert.match(refusal?.detail ?? '', /You have a free export credit: `use_free_credit: true` spends it/);
    assert.doesNotMatch(refusedOf(stateOfAll(opened('free', 0))).refusal?.detail ?? '', /use_free_credit/);
    given([opened('free')])
      .when(reserve('a', { useFreeCredit: false }))
      .thenThrows('payment_required');
    given([opened('free')])
      .when(reserve('a', { useFreeCredit: true }))
      .then(reserved('a', 'free_credit'));
  });
  it('says that a credit pays for the order books of a plan without them', () => {
    const books = quoteOf({ ...quoted, l2: true }, stateOfAll(opened('pro')), now);
    assert.equal(books.grant, 'free_credit');
    assert.match(books.remarks.join(), /the plan Pro covers exports only without order books \(`l2`\)/);
    const tops = quoteOf(quoted, stateOfAll(opened('pro')), now);
    assert.deepEqual([tops.grant, tops.remarks], ['plan', []]);
  });
  it('lists the prices of the events that nothing covers, and the refusal', () => {
    const { grant, cost, refusal } = quoteOf(quoted, stateOfAll(opened('free', 0)), now);
    assert.deepEqual([grant, cost, refusal?.code], [null, usd(500), 'payment_required']);
    assert.ok(refusal?.code === 'payment_required');
    assert.deepEqual(
      refusal.options.map(({ type }) => type),
      ['buy_event', 'upgrade', 'upgrade'],
    );
    const pack = { ...quoted, dayPack: true, events: ['A', 'B', 'C'], locked: ['C', 'A'] };
    assert.deepEqual(quoteOf(pack, stateOfAll(opened('free')), now).cost, usd(1_000));
    const nothingSold = quoteOf({ ...quoted, events: [], locked: [] }, stateOfAll(opened('free')), now);
    assert.equal(nothingSold.cost, null);
    assert.ok(nothingSold.refusal?.code === 'payment_required');
    assert.deepEqual(
      nothingSold.refusal.options.map(({ type }) => type),
      ['upgrade', 'upgrade'],
    );
  });
  it('of several events offers those that are locked, with their total, cheapest option first', () => {
    const optionsOf = (locked: string[], l2 = false) => {
      const events = [...locked, 'UNLOCKED'];
      const { refusal } = quoteOf({ ...quoted, dayPack: true, events, locked, l2 }, stateOfAll(opened('free')), now);
      assert.ok(refusal?.code === 'payment_required');
      return refusal.options;
    };
    const next =
      'Add each event with POST /api/v1/cart/event-exports. Pay with POST /api/v1/cart/checkout. ' +
      'Then send this request again.';
    assert.deepEqual(optionsOf(['B', 'A']), [
      {
        type: 'buy_events',
        price: usd(1_000),
        events_n: 2,
        events: [
          { event: 'A', price: usd(500) },
          { event: 'B', price: usd(500) },
        ],
        next,
      },
      { type: 'upgrade', tier_id: 'pro', price: usd(4_900) },
      { type: 'upgrade', tier_id: 'full_book', price: usd(14_900) },
    ]);
    const many = optionsOf(Array.from({ length: 130 }, (_, n) => `E-${n}`));
    assert.deepEqual(
      many.map(({ type, price }) => [type, price.amount]),
      [
        ['upgrade', 4_900],
        ['upgrade', 14_900],
        ['buy_events', 65_000],
      ],
    );
    const [all] = many.flatMap((option) => (option.type === 'buy_events' ? option : []));
    assert.deepEqual([all?.events_n, all?.events.length], [130, 100]);
    assert.match(all?.next ?? '', /A cart holds 100 events/);
    const ids = optionsOf(['A'], true).flatMap((option) => (option.type === 'upgrade' ? option.tier_id : []));
    assert.deepEqual(ids, ['full_book'], 'a plan that does not cover order books is no option');
  });
  it('names the pending exports that leave no place for another, the newest first', () => {
    const earlier = stateOfAll(opened('pro'), reserved('a', 'plan')).reservations['a'] ?? assert.fail();
    const later = stateOfAll(opened('pro'), ...['b', 'c', 'd', 'e'].map((id) => reserved(id, 'plan')));
    const reservations = { a: { ...earlier, at_us: earlier.at_us - 1 }, ...later.reservations };
    const state = { ...later, reservations };
    assert.throws(
      () => grantOf(quoted, state, now),
      (error) =>
        error instanceof DomainError &&
        error.code === 'export_pending_limit' &&
        JSON.stringify(error.options.more?.['pending_exports']) === JSON.stringify(['b', 'c', 'd', 'e', 'a']),
    );
  });
  it('names the refusal when a limit applies, at no cost', () => {
    const state = stateOfAll(opened('pro'), ...['a', 'b', 'c', 'd', 'e'].map((id) => reserved(id, 'plan')));
    assert.deepEqual(quoteOf(quoted, state, now), {
      grant: null,
      cost: usd(0),
      refusal: {
        code: 'export_pending_limit',
        detail: "Your plan's limit for pending exports is 5. Wait until an export is ready, or cancel one.",
        retry_after_s: 10,
      },
      remarks: [],
      parts: [],
    });
  });
});
