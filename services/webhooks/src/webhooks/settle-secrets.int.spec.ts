import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connectBus, subjects } from '@almanac/bus';
import { DomainError, webhooksState } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { ConfigError, secretFingerprint, unixMicros } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { callsOf, serviceSecret, startFixture, type WebhooksFixture } from '../testing/fixture.js';
import { isSignedBy, type Received, type Receiver, startReceiver } from '../testing/receiver.js';

const otherSecret = 'another secret of at least 32 characters';
const earlier = secretFingerprint(serviceSecret);

describe('webhooks whose secrets are derived from another WEBHOOK_SECRET', { timeout: 180_000 }, () => {
  let fixture: WebhooksFixture;
  let receiver: Receiver;
  let calls: ReturnType<typeof callsOf>;
  let created: Awaited<ReturnType<typeof calls.create>>;
  const started = (environment: Record<string, string> = {}) => fixture.start({ environment });
  const whileStarted = async (environment: Record<string, string>, work: () => Promise<void>): Promise<void> => {
    const service = await started(environment);
    try {
      await work();
    } finally {
      await service.stop();
    }
  };
  const delivered = async (id: string): Promise<Received> => {
    const { length } = receiver.received;
    await eventually(() => calls.test(id));
    return eventually(() => receiver.received[length] ?? assert.fail('nothing was delivered'));
  };

  before(async () => {
    [fixture, receiver] = await Promise.all([startFixture(), startReceiver()]);
    calls = callsOf(fixture);
    await whileStarted({}, async () => {
      created = await eventually(() => calls.create({ url: receiver.url, events: ['export.ready'] }));
    });
  });
  after(async () => {
    await receiver.stop();
    await fixture.stop();
  });

  it('are not served, and the fault names the fingerprints and what to set, without a secret', async () => {
    await assert.rejects(started({ WEBHOOK_SECRET: otherSecret }), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^The secrets of 1 webhook are derived from another WEBHOOK_SECRET/);
      assert.match(error.message, new RegExp(`WEBHOOK_LOST_SECRETS=${earlier}:`));
      assert.ok(error.message.includes(secretFingerprint(otherSecret)));
      assert.ok(!error.message.includes(serviceSecret) && !error.message.includes(otherSecret));
      return true;
    });
  });

  it('keep their secrets with the earlier one, and a rotated secret is derived from the new one', async () => {
    await whileStarted({ WEBHOOK_SECRET: otherSecret, WEBHOOK_EARLIER_SECRETS: serviceSecret }, async () => {
      assert.ok(isSignedBy(created.secret, await delivered(created.id)));
      const { secret } = await calls.rotate(created.id);
      const delivery = await eventually(async () => {
        const one = await delivered(created.id);
        assert.ok(isSignedBy(secret, one));
        return one;
      });
      assert.ok(isSignedBy(created.secret, delivery));
      assert.equal((await calls.rotate(created.id)).status, 'enabled');
    });
    // Nothing needs the earlier one any more.
    await whileStarted({ WEBHOOK_SECRET: otherSecret }, async () => {
      await delivered(created.id);
    });
  });

  it('are disabled if the operator states that it is lost, until their owners rotate the secret', async () => {
    const lost = { WEBHOOK_SECRET: serviceSecret, WEBHOOK_LOST_SECRETS: secretFingerprint(otherSecret) };
    await whileStarted(lost, async () => {
      const disabled = await eventually(() => calls.get(created.id));
      assert.equal(disabled.status, 'disabled');
      assert.match(String(disabled.disabled_reason), /^The server no longer has the secret of this webhook\. Rotate/);
      const refused = (error: unknown) => error instanceof DomainError && error.code === 'invalid_input';
      await assert.rejects(calls.enable(created.id), refused);
      const { secret, previous_secret_expires_ts } = await calls.rotate(created.id);
      assert.equal(previous_secret_expires_ts, null);
      assert.equal((await calls.enable(created.id)).status, 'enabled');
      await eventually(async () => assert.ok(isSignedBy(secret, await delivered(created.id))));
    });
  });

  it('of a release that did not record the origin are found after one start with the right secret', async () => {
    const bus = await connectBus({ url: fixture.nats.url, user: 'webhooks', password: 'test' });
    const subject = subjects.webhooks(calls.account);
    const store = jetStreamStore(bus);
    const { state, seq } = (await store.load(subject, webhooksState)) ?? assert.fail('no webhooks');
    const secrets = [{ version: 4, expires_us: null }];
    const untraced = { ...state, webhooks: state.webhooks.map((webhook) => ({ ...webhook, secrets })) };
    const event = { type: 'WebhookEnabled', version: 1 as const, data: { id: created.id, us: 1 }, state: untraced };
    await store.append(subject, { ...event, id: randomUUID(), time: unixMicros(), account: calls.account }, seq);
    await bus.close();
    await whileStarted({}, async () => {
      await delivered(created.id);
    });
    await assert.rejects(started({ WEBHOOK_SECRET: otherSecret }), ConfigError);
  });
});
