import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type AdminBus,
  type Bus,
  connectBus,
  connectFromConfig,
  consume,
  deadLetterStream,
  durables,
  ensureDeadLetters,
  ensureStream,
  type Running,
  subjects,
  natsAccounts,
} from '@almanac/bus';
import { DomainError } from '@almanac/contracts';
import { createHealth, createLogger, type Health, readiness } from '@almanac/runtime';
import { eventually, killableNats } from '@almanac/testing';
import { z } from 'zod';
import { execute } from './decider.js';
import type { EventStore } from './event-store.js';
import { jetStreamStore } from './jetstream-store.js';
import { addition, counter, counterState } from './testing/test-counter.js';

const password = 'test';
const accounts = natsAccounts(() => password, { admin: password });

describe('a full JetStream', { timeout: 240_000 }, () => {
  let nats: Awaited<ReturnType<typeof killableNats>>;
  let operator: AdminBus;
  let bus: Bus;
  let store: EventStore;
  let health: Health;
  let consumer: Running | undefined;
  const stops: (() => Promise<void> | void)[] = [];
  let handled = 0;
  let refusals = 0;
  let commands = 0;

  const connect = (user: string, own: Health): Promise<Bus> => {
    const log = createLogger(user, 'silent');
    const config = { NATS_URL: nats.url, NATS_USER: user, NATS_PASSWORD: password, NATS_REPLICAS: 1 };
    return connectFromConfig(config, { health: own, log, onStop: (_, stop) => void stops.push(stop) });
  };
  const append = (name: string) => {
    commands += 1;
    return execute(store, counter, addition(`evt.commerce.a.${name}`, `command-${commands}`, { by: 1 }, 60_000));
  };

  before(async () => {
    nats = await killableNats({ accounts, storeBytesMax: 65_536 });
    health = createHealth();
    health.serving = true;
    operator = await connectBus({ url: nats.url, user: 'admin', password });
    bus = await connect('commerce', health);
    await ensureStream(operator, 'EVT_COMMERCE');
    await ensureStream(operator, 'EVT_EXPORT');
    await ensureDeadLetters(operator);
    store = jetStreamStore(bus);
  });
  after(async () => {
    await consumer?.stop();
    for (const stop of stops) await stop();
    await operator.close();
    await nats.stop();
  });

  it('refuses a change as unavailable with a retry, long before the timeout', async () => {
    await append('before');
    const event = { id: 'x', type: 'Ended', version: 1, time: 1, account: null, data: {}, state: { n: 1 } };
    await operator.js.publish(subjects.export('a', '1'), JSON.stringify(event));
    await operator.jsm.streams.add({ name: 'EVT_FILE', subjects: ['evt.file.>'] });
    await assert.rejects(async () => {
      for (let n = 0; n < 100; n += 1) await operator.js.publish('evt.file.ballast', Buffer.alloc(4_096));
    });
    for (const name of ['before', 'new']) {
      await assert.rejects(append(name), (error) => {
        assert.ok(error instanceof DomainError);
        assert.deepEqual([error.code, error.options.more], ['unavailable', { retry_after_s: 10 }]);
        return true;
      });
    }
    assert.equal(await store.load('evt.commerce.a.new', counterState), undefined);
  });

  it('is reported as degraded by the process that was refused, since reads still work', async () => {
    const { ready, degraded = {} } = await readiness(health);
    assert.equal(ready, true);
    assert.match(degraded['nats_storage'] ?? '', /^JetStream is full, so nothing can be changed \(/);
    assert.equal((await store.load('evt.commerce.a.before', counterState))?.state.sum, 1);
  });

  it('makes a consumer wait whose effect needs storage, without a dead letter', async () => {
    consumer = await consume(bus, {
      stream: 'EVT_EXPORT',
      durable: durables.commerceExports,
      state: z.unknown(),
      concurrency: 1,
      deliveriesMax: 1,
      onFailure: () => void (refusals += 1),
      handle: async () => {
        await append('effect');
        handled += 1;
      },
    });
    await eventually(() => assert.ok(refusals >= 2));
    assert.equal(handled, 0);
  });

  it('recovers by itself once there is storage: the change is made, the consumer continues, the process is healthy', async () => {
    await nats.kill();
    await nats.startAgain({ accounts, storeBytesMax: 10_000_000 });
    // A message that waited during the outage may be delivered twice.
    await eventually(() => assert.ok(handled >= 1), { timeoutMs: 120_000 });
    await append('new');
    assert.equal((await store.load('evt.commerce.a.new', counterState))?.state.sum, 1);
    // The operator's own connection may still be coming back.
    const deadLetters = await eventually(() => operator.jsm.streams.info(deadLetterStream), { timeoutMs: 60_000 });
    assert.equal(deadLetters.state.messages, 0);
    await eventually(async () => assert.deepEqual((await readiness(health)).degraded, undefined));
  });
});
