import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { testNats, type TestNats } from '@almanac/testing';
import {
  DeliverPolicy,
  type DeliveryInfo,
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { waitingFor } from './ordered-subscription.js';

const stream = 'REMOVABLE';

describe('what waits for an ordered subscription', () => {
  let server: TestNats;
  let nc: NatsConnection;
  let js: JetStreamClient;
  let jsm: JetStreamManager;
  before(async () => {
    server = await testNats({});
    nc = await connect({ servers: server.url });
    [js, jsm] = [jetstream(nc), await jetstreamManager(nc)];
    await jsm.streams.add({ name: stream, subjects: ['removable.>'] });
  });
  after(async () => {
    await nc.close();
    await server.stop();
  });

  const publish = async (subject: string): Promise<void> => {
    for (let n = 0; n < 3; n += 1) await js.publish(subject);
  };
  const consumerOf = (subject: string) =>
    js.consumers.get(stream, {
      filter_subjects: subject,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: 1,
      // A consumer of this name with another configuration is refused.
      name_prefix: `test_${randomUUID()}`,
    });

  it('is nothing where messages were removed, or are of other subjects', async () => {
    await publish('removable.own');
    await jsm.streams.purge(stream);
    assert.equal(await waitingFor(await consumerOf('removable.own'), undefined), 0);
    await publish('removable.other');
    assert.equal(await waitingFor(await consumerOf('removable.own'), undefined), 0);
  });

  it('is what the server has, and what it sent and did not arrive', async () => {
    const subject = 'removable.pending';
    await publish(subject);
    const consumer = await consumerOf(subject);
    assert.equal(await waitingFor(consumer, undefined), 3);
    let last: DeliveryInfo | undefined;
    const batch = await consumer.fetch({ max_messages: 2 });
    for await (const message of batch) last = message.info;
    assert.equal(await waitingFor(consumer, last), 1);
    assert.equal(await waitingFor(consumer, last && { ...last, deliverySequence: 1 }), 2);
    assert.equal(await waitingFor(consumer, last && { ...last, consumer: 'of-before' }), 2);
  });
});
