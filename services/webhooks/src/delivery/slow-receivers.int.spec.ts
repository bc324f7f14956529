import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { forEachConcurrent } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { callsOf, startFixture, storeExport, type WebhooksFixture } from '../testing/fixture.js';
import { manualClock, type ManualClock } from '../testing/manual-clock.js';
import { type Receiver, startReceiver } from '../testing/receiver.js';

const webhooksOfAccount = 20;
const exportsOfAccount = 8;
const deliveries = webhooksOfAccount * exportsOfAccount;

describe('accounts whose receivers answer after a long time', { timeout: 180_000 }, () => {
  let fixture: WebhooksFixture;
  let service: { stop(): Promise<void> };
  let clock: ManualClock;
  let slow: Receiver;
  let quick: Receiver;
  let answerAll: () => void;
  before(async () => {
    [fixture, slow, quick] = await Promise.all([startFixture(), startReceiver(), startReceiver()]);
    clock = manualClock();
    const answered = new Promise<number>((resolve) => (answerAll = () => resolve(200)));
    slow.answer = () => answered;
    service = await fixture.start({ clock, environment: { WEBHOOK_TIMEOUT_S: '170' } });
  });
  after(async () => {
    answerAll();
    await service.stop();
    await Promise.all([slow.stop(), quick.stop()]);
    await fixture.stop();
  });

  /** Each once: on a busy machine a delivery can be sent again. */
  const delivered = (receiver: Receiver): number =>
    new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
  const queue = async (receiver: Receiver): Promise<void> => {
    const calls = callsOf(fixture);
    for (let n = 0; n < webhooksOfAccount; n += 1)
      await eventually(() => calls.create({ url: receiver.url, events: ['export.created'] }));
    for (let n = 0; n < exportsOfAccount; n += 1)
      await storeExport(fixture, calls.account, { types: ['ExportRequested'] });
  };

  it('do not delay the deliveries of another account, and go on themselves', async () => {
    await Promise.all([queue(slow), queue(slow), queue(slow)]);
    await queue(quick);
    await eventually(() => assert.equal(delivered(quick), deliveries));
    // Each account has a part of the slots, so none of them waits for another one.
    const reached = delivered(slow);
    assert.ok(reached >= 3 * 32, String(reached));
    // What has no answer after a second no longer holds a slot of the others.
    clock.advance(1_000);
    await queue(quick);
    await eventually(() => assert.equal(delivered(quick), 2 * deliveries));
    answerAll();
    await eventually(() => assert.equal(delivered(slow), 3 * deliveries));
  });

  it('share the deliveries that may wait among the webhooks of their account', async () => {
    const calls = callsOf(fixture);
    slow.answer = () => 500;
    const { id } = await calls.create({ url: slow.url, events: ['export.created'] });
    for (let n = 1; n < webhooksOfAccount; n += 1) await calls.create({ url: quick.url, events: ['export.failed'] });
    await forEachConcurrent(Array.from({ length: 1_010 }), 20, () =>
      storeExport(fixture, calls.account, { types: ['ExportRequested'] }),
    );
    const { disabled_reason } = await eventually(async () => {
      const webhook = await calls.get(id);
      assert.equal(webhook.status, 'disabled');
      return webhook;
    });
    assert.equal(disabled_reason, 'More than 1000 deliveries waited.');
  });
});
