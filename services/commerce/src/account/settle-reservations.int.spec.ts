import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connectBus, durables } from '@almanac/bus';
import type { AccountState } from '@almanac/contracts';
import { ConflictError } from '@almanac/event-store';
import { partExportId } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { exportOf, startFixture, type CommerceFixture } from '../testing/fixture.js';
import { refusal } from '../testing/pair.js';

const event = 'EV-T95999.99';

let fixture: CommerceFixture;
let service: { stop(): Promise<void> };
before(async () => {
  fixture = await startFixture();
  service = await fixture.start();
});
after(async () => {
  await service.stop();
  await fixture.stop();
});
const closed = (account: string): Promise<AccountState> =>
  eventually(async () => {
    const state = await fixture.account(account);
    assert.deepEqual(state.reservations, {});
    return state;
  });

describe('the reservation of an export', () => {
  const reserved = async (plan: 'free' | 'pro') => {
    const account = await fixture.openAccount(plan);
    const id = randomUUID();
    await fixture.reserve(account, { export_id: id });
    return { account, id, its: exportOf(fixture, account, id) };
  };
  it('is confirmed when the export is ready, and a free credit then unlocks the event for good', async () => {
    const { account, its } = await reserved('free');
    await its.requested();
    await its.ready();
    const state = await closed(account);
    assert.deepEqual([state.credits_used, state.exports_today.count], [1, 1]);
    assert.ok(await fixture.isUnlocked(account, event));
    assert.equal(await fixture.reserve(account, { l2: true }), 'unlock');
    assert.equal((await fixture.account(account)).exports_today.count, 1, 'a bought export does not count');
  });

  it('unlocks nothing when the plan covered it', async () => {
    const { account, its } = await reserved('pro');
    await its.requested();
    await its.ready();
    assert.equal((await closed(account)).exports_today.count, 1);
    assert.equal(await fixture.isUnlocked(account, event), false);
  });

  for (const end of ['failed', 'cancelled'] as const) {
    it(`is released with its credit and its place of the day when the export ${end}`, async () => {
      const { account, its } = await reserved('free');
      await its.requested();
      await its[end]();
      const state = await closed(account);
      assert.deepEqual([state.credits_used, state.exports_today.count], [0, 0]);
      assert.equal(await fixture.isUnlocked(account, event), false);
      assert.equal(await fixture.reserve(account), 'free_credit');
    });
  }

  it('is settled after a restart when the export ended while the service was down', async () => {
    const [good, bad] = await Promise.all([reserved('free'), reserved('free')]);
    await Promise.all([good.its.requested(), bad.its.requested()]);
    await service.stop();
    await good.its.ready();
    await bad.its.failed();
    service = await fixture.start();
    assert.equal((await closed(good.account)).credits_used, 1);
    assert.ok(await fixture.isUnlocked(good.account, event));
    assert.equal((await closed(bad.account)).credits_used, 0);
  });

  it('of several exports ends with the last of them, and returns the places of those that failed', async () => {
    const { account, group, exports } = await reservedGroup();
    const [one, two, three] = exports;
    assert.ok(one && two && three);
    for (const each of exports) await each.requested();
    await one.ready();
    await two.failed();
    await eventually(async () => {
      const { reservations, exports_today } = await fixture.account(account);
      assert.deepEqual([reservations[group]?.parts?.open, exports_today.count], [[2], 2]);
    });
    await three.cancelled();
    assert.equal((await closed(account)).exports_today.count, 1);
  });

  it('whose end was not settled yet takes no place and no credit of the next export', async () => {
    for (const end of ['failed', 'cancelled'] as const) {
      const [one, other] = [await endedBefore(end), await endedBefore(end)];
      assert.equal(await fixture.reserve(one), 'free_credit', end);
      assert.equal((await fixture.client(other).quote()).grant, 'free_credit', end);
    }
    const account = await endedBefore('ready');
    await assert.rejects(fixture.reserve(account, { events: ['OTHER'] }), refusal('payment_required'));
    assert.equal(await fixture.reserve(account), 'unlock');
  });

  it('whose export is pending or not recorded yet keeps its place', async () => {
    const { account, its } = await reserved('free');
    await assert.rejects(fixture.reserve(account), refusal('export_pending_limit'));
    await its.requested();
    await assert.rejects(fixture.reserve(account), refusal('export_pending_limit'));
    assert.equal((await fixture.client(account).quote()).refusal?.code, 'export_pending_limit');
  });

  it('is settled after the bus was lost', async () => {
    const { account, its } = await reserved('free');
    await its.requested();
    await fixture.nats.restart();
    await eventually(() => its.ready());
    await eventually(async () => assert.deepEqual((await fixture.account(account)).reservations, {}));
    assert.ok(await fixture.isUnlocked(account, event));
  });
});

describe('the sweep of reservations', () => {
  const shortSweeps = { SWEEP_AFTER_S: 0.2, SWEEP_EVERY_S: 0.05 };
  before(async () => {
    await service.stop();
    service = await fixture.start(shortSweeps);
  });

  it('gives up an export that never appeared: its late record conflicts, and its credit and place return', async () => {
    const account = await fixture.openAccount('free');
    const id = randomUUID();
    await fixture.reserve(account, { export_id: id });
    const its = exportOf(fixture, account, id);
    await closed(account);
    assert.equal(await its.status(), 'abandoned');
    await assert.rejects(its.requested(), ConflictError);
    const { credits_used, exports_today } = await fixture.account(account);
    assert.deepEqual([credits_used, exports_today.count], [0, 0]);
    assert.equal(await fixture.reserve(account), 'free_credit');
  });

  it('gives up a request whose first export never appeared, with all of its places', async () => {
    const { account, exports } = await reservedGroup();
    await closed(account);
    assert.deepEqual(await Promise.all(exports.map((each) => each.status())), ['abandoned', undefined, undefined]);
    assert.equal((await fixture.account(account)).exports_today.count, 0);
  });

  it('leaves a request whose first export is pending, although the others do not exist yet', async () => {
    const { account, group, exports } = await reservedGroup(async ([first]) => first?.requested());
    const swept = randomUUID();
    await fixture.reserve(account, { export_id: swept });
    await eventually(async () => assert.deepEqual(Object.keys((await fixture.account(account)).reservations), [group]));
    assert.deepEqual(await Promise.all(exports.map((each) => each.status())), ['pending', undefined, undefined]);
  });

  it('settles the exports of a request whose ends were lost, each with its own part', async () => {
    const { account } = await reservedGroup(async (exports) => {
      for (const each of exports) await each.requested();
      await exports[0]?.ready((Date.now() + 60_000) * 1_000);
      await exports[1]?.failed();
      await exports[2]?.ready();
      await consumerIdle();
    });
    await closed(account);
    // One is used, one failed, and one was ready before this reservation, so it covers nothing.
    assert.equal((await fixture.account(account)).exports_today.count, 1);
  });

  it('leaves one whose export is pending', async () => {
    const account = await fixture.openAccount('pro');
    const [openReservation, swept] = [randomUUID(), randomUUID()];
    await exportOf(fixture, account, openReservation).requested();
    await fixture.reserve(account, { export_id: openReservation });
    await fixture.reserve(account, { export_id: swept });
    // The younger reservation is gone, so the sweep has seen the older one.
    await eventually(async () =>
      assert.deepEqual(Object.keys((await fixture.account(account)).reservations), [openReservation]),
    );
    assert.equal(await exportOf(fixture, account, openReservation).status(), 'pending');
  });

  it('releases one whose export had already ended', async () => {
    for (const end of ['ready', 'failed'] as const) {
      const account = await fixture.openAccount('pro');
      const id = randomUUID();
      const its = exportOf(fixture, account, id);
      await its.requested();
      await its[end]();
      await fixture.reserve(account, { export_id: id });
      await closed(account);
      assert.equal((await fixture.account(account)).exports_today.count, 0, end);
    }
  });

  it('unlocks the event of a credit whose export was already ready, but not of a failed one', async () => {
    for (const [end, spent] of [
      ['ready', 1],
      ['failed', 0],
    ] as const) {
      const account = await fixture.openAccount('free');
      const id = randomUUID();
      const its = exportOf(fixture, account, id);
      await its.requested();
      await its[end]();
      await fixture.reserve(account, { export_id: id });
      await closed(account);
      assert.equal((await fixture.account(account)).credits_used, spent, end);
      assert.equal(await fixture.isUnlocked(account, event), spent === 1, end);
    }
  });

  it('confirms one whose end was received and lost', async () => {
    const account = await fixture.openAccount('free');
    const id = randomUUID();
    const its = exportOf(fixture, account, id);
    await its.requested();
    await its.ready((Date.now() + 60_000) * 1_000);
    // The end arrived before there was a reservation to settle, as after a dead letter.
    await consumerIdle();
    await fixture.reserve(account, { export_id: id });
    await closed(account);
    assert.equal((await fixture.account(account)).credits_used, 1);
    assert.ok(await fixture.isUnlocked(account, event));
  });

  it('finds reservations from before a restart', async () => {
    const account = await fixture.openAccount('free');
    const id = randomUUID();
    await service.stop();
    service = await fixture.start();
    await fixture.reserve(account, { export_id: id });
    await service.stop();
    service = await fixture.start(shortSweeps);
    await closed(account);
    assert.equal(await exportOf(fixture, account, id).status(), 'abandoned');
  });
});

/** A free account with a reservation whose export had ended before it, so that no event settles it. */
const endedBefore = async (end: 'ready' | 'failed' | 'cancelled'): Promise<string> => {
  const account = await fixture.openAccount('free');
  const id = randomUUID();
  const its = exportOf(fixture, account, id);
  await its.requested();
  await (end === 'ready' ? its.ready((Date.now() + 60_000) * 1_000) : its[end]());
  await consumerIdle();
  await fixture.reserve(account, { export_id: id });
  return account;
};

/** A request with three exports of a pro account. `happened`: what its exports went through before it is reserved. */
const reservedGroup = async (
  happened: (exports: ReturnType<typeof exportOf>[]) => Promise<unknown> = () => Promise.resolve(),
) => {
  const account = await fixture.openAccount('pro');
  const group = randomUUID();
  const exports = [0, 1, 2].map((part) =>
    exportOf(fixture, account, partExportId(account, group, part), { id: group, part }),
  );
  await happened(exports);
  const events = ['A', 'B', 'C'];
  const parts = events.map((one) => ({ events: [one] }));
  await fixture.reserve(account, { export_id: group, events, day_pack: true, parts, split: true });
  return { account, group, exports };
};

/** Resolves when the reactor has acknowledged every export event so far. */
const consumerIdle = async (): Promise<void> => {
  const bus = await connectBus({ url: fixture.nats.url, user: 'commerce', password: 'test' });
  try {
    await eventually(async () => {
      const { num_pending: waiting, num_ack_pending: ackPending } = await bus.jsm.consumers.info(
        'EVT_EXPORT',
        durables.commerceExports,
      );
      assert.deepEqual([waiting, ackPending], [0, 0]);
    });
  } finally {
    await bus.close();
  }
};
