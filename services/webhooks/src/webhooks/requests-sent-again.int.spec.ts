import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { callsOf, startFixture, type WebhooksFixture } from '../testing/fixture.js';
import { type Receiver, startReceiver } from '../testing/receiver.js';

describe('a change of a webhook whose request is sent again', { timeout: 180_000 }, () => {
  let fixture: WebhooksFixture;
  let processes: { stop(): Promise<void> }[];
  let receiver: Receiver;
  let calls: ReturnType<typeof callsOf>;
  let id: string;
  before(async () => {
    fixture = await startFixture();
    // Which of them gets a request is random, as after the loss of a server.
    processes = [await fixture.start(), await fixture.start()];
  });
  after(async () => {
    for (const one of processes) await one.stop();
    await fixture.stop();
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    calls = callsOf(fixture);
    ({ id } = await calls.create({ url: receiver.url, events: ['export.created'] }));
  });
  afterEach(() => receiver.stop());

  /** The answers of one request that is sent several times, at once and later. They are the same. */
  const sentAgain = async <Answer>(send: (requestKey: string) => Promise<Answer>): Promise<Answer> => {
    const key = randomUUID();
    const [first, ...others] = [...(await Promise.all([send(key), send(key), send(key)])), await send(key)];
    for (const other of others) assert.deepEqual(other, first);
    return first ?? assert.fail('no answer');
  };

  it('rotates its secret once, and shows the new one each time', async () => {
    const first = await sentAgain((key) => calls.rotate(id, key));
    assert.ok(first.secret);
    const second = await calls.rotate(id);
    assert.notEqual(second.secret, first.secret);
  });

  it('shows the secret of its own rotation after a later one, and none once it signs nothing', async () => {
    const first = await calls.rotate(id, 'first');
    await calls.rotate(id);
    assert.equal((await calls.rotate(id, 'first')).secret, first.secret);
    const last = await calls.rotate(id);
    assert.equal((await calls.rotate(id, 'first')).secret, null);
    await calls.test(id);
    await eventually(() => assert.equal(receiver.received.length, 1));
    assert.ok(last.secret);
  });

  it('enables it once, also if it is disabled again in between', async () => {
    receiver.answer = () => 410;
    await calls.test(id);
    const isDisabled = () => eventually(async () => assert.equal((await calls.get(id)).status, 'disabled'));
    await isDisabled();
    assert.equal((await sentAgain((key) => calls.enable(id, key))).status, 'enabled');
    await calls.test(id);
    await isDisabled();
    await calls.enable(id, 'one');
    await calls.test(id);
    await isDisabled();
    assert.equal((await calls.enable(id, 'one')).status, 'disabled');
  });

  it('sends one test event', async () => {
    const { delivery_id } = await sentAgain((key) => calls.test(id, key));
    const other = await calls.test(id);
    await eventually(() => assert.equal(receiver.received.length, 2));
    assert.notEqual(other.delivery_id, delivery_id);
  });

  it('sends a delivery again once', async () => {
    const { delivery_id } = await calls.test(id);
    await eventually(async () => assert.equal((await calls.deliveries(id)).count, 1));
    assert.equal((await sentAgain((key) => calls.redeliver(id, delivery_id, key))).delivery_id, delivery_id);
    // Later, so that a second one of the request would be before it.
    await calls.test(id);
    await eventually(async () => assert.equal((await calls.deliveries(id)).count, 3));
    assert.equal(receiver.received.length, 3);
  });

  it('deletes it, and returns it as it was each time', async () => {
    const known = await calls.get(id);
    assert.deepEqual(await sentAgain((key) => calls.remove(id, key)), known);
    await assert.rejects(calls.remove(id), { code: 'webhook_not_found' });
  });
});
