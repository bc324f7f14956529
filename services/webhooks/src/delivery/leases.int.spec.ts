import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Bus,
  connectBus,
  ensureWebhookStream,
  natsAccounts,
  readLease,
  watchDeliveries,
  webhookShards,
} from '@almanac/bus';
import { createLogger } from '@almanac/runtime';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { systemClock } from './clock.js';
import { deliverySlots } from './delivery-slots.js';
import { shareShards } from './shards.js';

const waitMs = 90_000;
const slowShard = 3;

describe('the leases of a process', { timeout: 280_000 }, () => {
  let nats: TestNats;
  let bus: Bus;
  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => 'test', {}, 1) });
    bus = await connectBus({ url: nats.url, user: 'webhooks', password: 'test', partitions: 1 });
    await ensureWebhookStream(bus);
  });
  after(async () => {
    await bus.close();
    await nats.stop();
  });

  const start = (id: string, watch: typeof watchDeliveries) =>
    shareShards(
      {
        bus,
        log: createLogger('webhooks', 'silent'),
        clock: systemClock,
        sender: { send: () => assert.fail('nothing is delivered'), close: () => undefined },
        slots: deliverySlots(systemClock),
        cached: () => undefined,
        siblings: () => 1,
        load: async () => undefined,
        disable: async () => undefined,
      },
      id,
      watch,
    );
  const leases = () => Promise.all(Array.from({ length: webhookShards }, (_, shard) => readLease(bus, shard)));

  it('are renewed while a server makes no consumer for one of them, and that one too', async () => {
    const delivering = start('one', async (to, shard, onQueued) =>
      shard === slowShard ? new Promise(() => undefined) : watchDeliveries(to, shard, onQueued),
    );
    try {
      const first = await eventually(
        async () => {
          const found = await leases();
          assert.deepEqual(new Set(found.map(({ holder }) => holder)), new Set(['one']));
          return found;
        },
        { timeoutMs: waitMs },
      );
      // More renewals than fit into the time for which an unconfirmed lease is held.
      await eventually(
        async () => {
          for (const [shard, { seq }] of (await leases()).entries())
            assert.ok(seq >= (first[shard]?.seq ?? 0) + 5 * webhookShards, `shard ${shard} is at ${seq}`);
        },
        { timeoutMs: waitMs },
      );
    } finally {
      await delivering.stop();
    }
    assert.deepEqual(new Set((await leases()).map(({ holder }) => holder)), new Set(['']));
  });
});
