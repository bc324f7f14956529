import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type Bus, connectBus, countDeliveries, loggedAttempts, storedRetry } from '@almanac/bus';
import { eventually } from '@almanac/testing';
import { callsOf, startFixture, storeExport, type WebhooksFixture } from './testing/fixture.js';
import { manualClock } from './testing/manual-clock.js';
import { type Receiver, startReceiver } from './testing/receiver.js';

const accountsN = 5;
const webhooksN = 20;

let fixture: WebhooksFixture;
let service: Awaited<ReturnType<WebhooksFixture['start']>>;
let receiver: Receiver;
let bus: Bus;
const clock = manualClock();
before(async () => {
  fixture = await startFixture();
  service = await fixture.start({ clock });
  const { NATS_URL: url = '', NATS_USER, NATS_PASSWORD: password = '' } = fixture.environment;
  assert.equal(NATS_USER, 'webhooks');
  bus = await connectBus({ url, user: 'webhooks', password, partitions: 1 });
});
after(async () => {
  await bus.close();
  await service.stop();
  await fixture.stop();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const lanes = async () => ({
  active: await service.metric('almanac_webhooks_active'),
  failing: await service.metric('almanac_webhooks_failing'),
  waiting: await service.metric('almanac_webhook_deliveries_waiting'),
});
const empty = { active: 0, failing: 0, waiting: 0 };
const isEmpty = (): Promise<void> => eventually(async () => assert.deepEqual(await lanes(), empty));
const oldest = async (): Promise<number> => (await service.metric('almanac_webhook_oldest_seconds')) ?? -1;

describe('the metrics of webhooks', { timeout: 120_000 }, () => {
  it('tell deliveries that the service delays from those that a receiver refuses', async () => {
    const calls = callsOf(fixture);
    assert.deepEqual(await lanes(), empty);
    assert.equal(await oldest(), 0);

    // The receiver takes long to answer, so the delivery is old, but nothing has failed.
    let answer = (_status: number): void => undefined;
    receiver.answer = () => new Promise((resolve) => (answer = resolve));
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    await eventually(() => assert.equal(receiver.received.length, 1));
    assert.deepEqual(await lanes(), { active: 1, failing: 0, waiting: 1 });
    clock.advance(90_000);
    assert.ok((await oldest()) >= 90, `${await oldest()}`);

    answer(503);
    await eventually(async () => assert.deepEqual(await lanes(), { active: 1, failing: 1, waiting: 1 }));
    assert.equal(await oldest(), 0);

    receiver.answer = () => 200;
    clock.advance(60_000);
    await eventually(async () => assert.deepEqual(await lanes(), { active: 1, failing: 0, waiting: 0 }));
    await calls.remove(id);
    await isEmpty();
  });
});

describe('deleted webhooks', { timeout: 180_000 }, () => {
  it('leave nothing in memory, whether their receivers answered or failed', async () => {
    const arrivals = new Map<string, () => void>();
    receiver.answer = ({ path, body }) => {
      arrivals.get(String(body.data['webhook_id']))?.();
      return path === '/fails' ? 500 : 200;
    };
    const useAndDelete = async (calls: ReturnType<typeof callsOf>, path: string): Promise<void> => {
      const { id } = await calls.create({ url: receiver.url + path, events: ['export.created'] });
      const arrived = new Promise<void>((resolve) => arrivals.set(id, resolve));
      await calls.test(id);
      await arrived;
      await calls.remove(id);
    };
    const all = Array.from({ length: accountsN }, async (_, account) => {
      const calls = callsOf(fixture);
      for (let n = 0; n < webhooksN; n += 1) await useAndDelete(calls, account % 5 === 0 ? '/fails' : '/works');
    });
    await Promise.all(all);
    await isEmpty();
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    assert.deepEqual([receiver.received.length, ids.size], [accountsN * webhooksN, accountsN * webhooksN]);
  });

  it('leave no waiting delivery and no failed attempt in the stream', async () => {
    const calls = callsOf(fixture);
    const { id: webhook } = await calls.create({ url: receiver.url, events: ['export.created'] });
    receiver.answer = () => 500;
    await calls.test(webhook);
    await eventually(async () => assert.deepEqual(await lanes(), { active: 1, failing: 1, waiting: 1 }));
    const retry = () => storedRetry(bus, { webhook, object: 'test' });
    await eventually(async () => assert.notEqual(await retry(), null));
    await calls.remove(webhook);
    await isEmpty();
    assert.deepEqual([await countDeliveries(bus, webhook), await retry()], [0, null]);
  });

  it('leave no log, also of what is being sent', async () => {
    const calls = callsOf(fixture);
    const { id } = await calls.create({ url: receiver.url, events: ['export.created'] });
    await calls.test(id);
    await eventually(async () => assert.equal((await calls.deliveries(id)).count, 1));
    let answer = (_status: number): void => undefined;
    receiver.answer = () => new Promise((resolve) => (answer = resolve));
    await calls.test(id);
    await eventually(() => assert.equal(receiver.received.length, 2));
    await calls.remove(id);
    await eventually(async () => assert.deepEqual(await loggedAttempts(bus, id), []));
    answer(200);
    await isEmpty();
    assert.deepEqual(await loggedAttempts(bus, id), []);
  });

  it('finish what is being sent, and one that is created again with its id gets its own deliveries', async () => {
    const calls = callsOf(fixture);
    const answers: ((status: number) => void)[] = [];
    receiver.answer = () => new Promise((resolve) => answers.push(resolve));
    const create = () =>
      calls.create({ url: receiver.url, events: ['export.created'], idempotency_key: calls.account });
    const { id } = await create();
    await calls.test(id);
    await eventually(() => assert.equal(answers.length, 1));
    await calls.remove(id);
    // The attempt still runs, so its lane stays.
    await eventually(async () => assert.deepEqual(await lanes(), { active: 1, failing: 0, waiting: 0 }));
    assert.equal((await create()).id, id);
    const second = await calls.test(id);
    await eventually(() => assert.equal(answers.length, 2));
    for (const answer of answers) answer(200);
    await eventually(async () => {
      const { deliveries } = await calls.deliveries(id);
      assert.deepEqual(
        deliveries.map(({ status }) => status),
        ['succeeded', 'succeeded'],
      );
    });
    assert.equal(receiver.received[1]?.headers['webhook-id'], second.delivery_id);
    await calls.remove(id);
    await isEmpty();
  });
});
