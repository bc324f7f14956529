import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { callsOf, startFixture, storeExport, type WebhooksFixture } from './testing/fixture.js';
import { manualClock, type ManualClock } from './testing/manual-clock.js';
import { type Receiver, startReceiver } from './testing/receiver.js';

describe('the metrics of webhooks', { timeout: 120_000 }, () => {
  let fixture: WebhooksFixture;
  let service: Awaited<ReturnType<WebhooksFixture['start']>>;
  let clock: ManualClock;
  let receiver: Receiver;
  before(async () => {
    fixture = await startFixture();
    clock = manualClock();
    service = await fixture.start({ clock });
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.stop();
    await service.stop();
    await fixture.stop();
  });

  const figures = async () => ({
    active: await service.metric('almanac_webhooks_active'),
    failing: await service.metric('almanac_webhooks_failing'),
    waiting: await service.metric('almanac_webhook_deliveries_waiting'),
  });
  const oldest = async (): Promise<number> => (await service.metric('almanac_webhook_oldest_seconds')) ?? -1;

  it('tell deliveries that the service delays from those that a receiver refuses', async () => {
    const calls = callsOf(fixture);
    assert.deepEqual(await figures(), { active: 0, failing: 0, waiting: 0 });
    assert.equal(await oldest(), 0);

    // The receiver takes long to answer, so the delivery is old, but nothing has failed.
    let answer = (_status: number): void => undefined;
    receiver.answer = () => new Promise((resolve) => (answer = resolve));
    await calls.create({ url: receiver.url, events: ['export.created'] });
    await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
    await eventually(() => assert.equal(receiver.received.length, 1));
    assert.deepEqual(await figures(), { active: 1, failing: 0, waiting: 1 });
    clock.advance(90_000);
    assert.ok((await oldest()) >= 90, `${await oldest()}`);

    answer(503);
    await eventually(async () => assert.deepEqual(await figures(), { active: 1, failing: 1, waiting: 1 }));
    assert.equal(await oldest(), 0);

    receiver.answer = () => 200;
    clock.advance(60_000);
    await eventually(async () => assert.deepEqual(await figures(), { active: 1, failing: 0, waiting: 0 }));
  });
});
