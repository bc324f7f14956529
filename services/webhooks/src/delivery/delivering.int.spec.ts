import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Bus,
  connectBus,
  enqueueDelivery,
  ensureWebhookStream,
  natsAccounts,
  readLease,
  watchDeliveries,
  webhookShards,
} from '@almanac/bus';
import type { StoredWebhook } from '@almanac/contracts';
import { createLogger, newAccountId, newKeyId } from '@almanac/runtime';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { systemClock } from './clock.js';
import type { LaneDeps } from './lane-deps.js';
import { deliverySlots } from './delivery-slots.js';
import { shareShards } from './shards.js';

const waitMs = 90_000;
const slowShard = 3;

describe('a process that delivers', { timeout: 280_000 }, () => {
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

  const start = (id: string, watch = watchDeliveries, other: Partial<LaneDeps> = {}) =>
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
        ...other,
      },
      id,
      watch,
    );
  const leases = () => Promise.all(Array.from({ length: webhookShards }, (_, shard) => readLease(bus, shard)));

  it('renews the leases of all its shards while the server makes no consumer for one of them', async () => {
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

  it('signs with the secret that the sender of a request knows, although it is not in memory yet', async () => {
    const earlier = storedWebhook([1]);
    const sent: StoredWebhook[] = [];
    const send = async (webhook: StoredWebhook) => {
      sent.push(webhook);
      return { status: 200, error: null, ms: 1 };
    };
    const delivering = start('two', watchDeliveries, {
      cached: () => earlier,
      load: async () => storedWebhook([2, 1]),
      sender: { send, close: () => undefined },
    });
    try {
      for (const secret of [1, 2]) {
        const entry = { kind: 'message', type: 'webhook.test', id: `msg_${secret}`, body: '{}', time_us: 2, secret };
        const place = { webhook: earlier.id, object: 'test', part: `${secret}` };
        await enqueueDelivery(bus, place, { data: JSON.stringify(entry), id: `${secret}`, replaces: false });
        await eventually(() => assert.equal(sent.length, secret), { timeoutMs: waitMs });
      }
      assert.deepEqual(
        sent.map(({ secrets }) => secrets[0]?.version),
        [1, 2],
      );
    } finally {
      await delivering.stop();
    }
  });
});

const webhookId = newKeyId(newAccountId());
const storedWebhook = (versions: readonly number[]): StoredWebhook => ({
  id: webhookId,
  url: 'https://example.com',
  description: '',
  events: [],
  tickers: [],
  series: [],
  created_us: 1,
  enabled_us: 1,
  secrets: versions.map((version) => ({ version, expires_us: null })),
  disabled: null,
});
