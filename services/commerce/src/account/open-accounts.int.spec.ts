import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { type Bus, checkpointSubjects, connectBus, durables, ensureStream, subjects } from '@almanac/bus';
import { jetStreamStore } from '@almanac/event-store';
import { accountState, eventFormats, openAccountsCheckpoint } from '@almanac/contracts';
import { createLogger, forEachConcurrent, unixMicros } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { followOpenAccounts } from './open-accounts.js';
import { type CommerceFixture, startFixture } from '../testing/fixture.js';

const events = 5_000;

let fixture: CommerceFixture;
before(async () => {
  fixture = await startFixture();
});
after(() => fixture.stop());
/** Also of a test that fails: what goes on keeps the process of the tests running. */
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const connected = async ({ nats }: Pick<CommerceFixture, 'nats'> = fixture) => {
  const bus = await connectBus({ url: nats.url, user: 'commerce', password: 'test' });
  stops.push(() => bus.close());
  return bus;
};

const started = async () => {
  const service = await fixture.start();
  stops.push(() => service.stop());
  return service;
};

const followed = async (bus: Bus, checkpointEvents = 1_000, store = jetStreamStore(bus)) => {
  const open = await followOpenAccounts(bus, store, {
    log: createLogger('commerce', 'silent'),
    nowUs: unixMicros,
    checkpointEveryMs: 3_600_000,
    checkpointEvents,
  });
  stops.push(() => open.stop());
  return open;
};

/** Publishes events of another entity, then reserves a grant as the last event. */
const fillStream = async (): Promise<void> => {
  const service = await started();
  const account = await fixture.openAccount('pro');
  const bus = await connected();
  const event = { id: 'x', type: 'X', version: 1, time: 1, account: null, data: {}, state: {} };
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < events; n += 1) {
    sent.push(bus.js.publish(subjects.unlock(account, `E-${n}`), JSON.stringify(event)));
    if (sent.length >= 500) await Promise.all(sent.splice(0));
  }
  await Promise.all(sent);
  await bus.close();
  await fixture.reserve(account);
  await service.stop();
};

it('the service is ready only after it has read the stream, and says how far it is until then', async () => {
  await fillStream();
  const bus = await connected();
  const open = await followed(bus);
  assert.match(open.behind() ?? '', /^\d+ of 500\d events read \(\d+ %\)$/);
  await eventually(() => assert.equal(open.behind(), null));
  assert.equal(open.accounts().length, 1);

  const service = await started();
  await eventually(async () => assert.equal((await service.readiness()).checks['open_accounts'], 'ok'));
  const [reservations] = (await service.samples()).filter(({ name }) => name === 'almanac_reservations_open');
  assert.equal(reservations?.value, 1);
});

it('a process reads only the last checkpoint and the events after it, and has every account that was open before', async () => {
  const bus = await connected();
  const first = await followed(bus);
  await eventually(() => assert.equal(first.behind(), null));
  await first.storeCheckpoint();
  const { last_seq: stored } = (await bus.jsm.streams.info('EVT_COMMERCE')).state;
  // A second one comes only after more events.
  await first.storeCheckpoint();
  assert.equal((await bus.jsm.streams.info('EVT_COMMERCE')).state.last_seq, stored);

  await started();
  const account = await fixture.openAccount('pro');
  await fixture.reserve(account);
  const store = jetStreamStore(bus);
  const loads: string[] = [];
  const next = await followed(bus, 1_000, {
    ...store,
    load: (subject, state) => {
      loads.push(subject);
      return store.load(subject, state);
    },
  });
  assert.deepEqual(loads, [checkpointSubjects.openAccounts]);
  await eventually(() => assert.equal(next.accounts().length, first.accounts().length));
  assert.ok(next.accounts().some((open) => open.account === account));
  const { stored: toRead } = next.progress();
  assert.ok(toRead < 50, `${toRead} events are read`);
  const accountsOf = (open: typeof first) => open.accounts().toSorted((a, b) => a.seq - b.seq);
  assert.deepEqual(accountsOf(next), accountsOf(first));

  // The consumers with a filter have moved on as well, and nothing became a dead letter.
  for (const durable of [durables.commerceCheckouts, durables.commerceUpgrades]) {
    await eventually(async () => {
      const { delivered, num_ack_pending: atWork } = await bus.jsm.consumers.info('EVT_COMMERCE', durable);
      assert.ok(delivered.stream_seq > stored - 10 && atWork === 0);
    });
  }
});

it('a checkpoint of another rule is not used', async () => {
  const bus = await connected();
  const store = jetStreamStore(bus);
  const last = await bus.jsm.streams.getMessage('EVT_COMMERCE', { last_by_subj: checkpointSubjects.openAccounts });
  const { last_seq: stored } = (await bus.jsm.streams.info('EVT_COMMERCE')).state;
  const state = { rule: 'other', from: stored, older: [] };
  const event = {
    id: 'other-rule',
    type: 'CheckpointStored',
    version: 1,
    time: 1,
    account: null,
    data: {},
    state,
  } as const;
  await store.append(checkpointSubjects.openAccounts, event, last?.seq ?? 0);
  const open = await followed(bus);
  assert.ok(open.progress().stored > events);
});

it('an account event that this release cannot read is read again by the next process', async () => {
  const bus = await connected();
  const { seq } = await bus.js.publish(subjects.account('newer'), 'an event of a newer release');
  const open = await followed(bus, 1);
  await eventually(() => assert.equal(open.behind(), null));
  await open.storeCheckpoint();
  const stored = await jetStreamStore(bus).load(checkpointSubjects.openAccounts, openAccountsCheckpoint);
  assert.deepEqual([stored?.state.rule, stored?.state.from], [`${eventFormats.EVT_COMMERCE.format}.1`, seq]);
});

it('a checkpoint of more open accounts than a message can hold starts at the first event that it does not cover', async () => {
  const own = await startFixture();
  stops.push(() => own.stop());
  const bus = await connected(own);
  await ensureStream(bus, 'EVT_COMMERCE');
  const reservation = { grant: 'plan', day: '2026-03-01', at_us: 4e15, credit_event: null };
  const counts = { credits_granted: 0, credits_used: 0, exports_today: { day: '2026-03-01', count: 0 } };
  const ids = Array.from({ length: 8_000 }, (_, n) => `many-${n}`.padEnd(40, 'x'));
  await forEachConcurrent(ids, 200, async (account) => {
    const state = accountState.parse({ account, plan: 'pro', ...counts, reservations: { e: reservation } });
    const event = { id: account, type: 'GrantReserved', version: 1, time: 1, account, data: {}, state };
    await bus.js.publish(subjects.account(account), JSON.stringify(event));
  });
  const first = await followed(bus, 1);
  await eventually(() => assert.equal(first.behind(), null));
  await first.storeCheckpoint();
  const stored = await bus.jsm.streams.getMessage('EVT_COMMERCE', { last_by_subj: checkpointSubjects.openAccounts });
  const { open, from } = openAccountsCheckpoint.parse(stored?.json<{ state: unknown }>().state);
  assert.ok(open.length > 3_000 && open.length < ids.length && open.every(({ seq }) => seq < from));
  const next = await followed(bus);
  await eventually(() => assert.equal(next.behind(), null));
  const bySeq = (of: typeof first) => of.accounts().toSorted((a, b) => a.seq - b.seq);
  assert.deepEqual(bySeq(next), bySeq(first));
  assert.equal(next.accounts().length, ids.length);
});
