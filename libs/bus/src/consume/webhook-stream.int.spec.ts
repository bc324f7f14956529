import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { AdminBus } from '../bus.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';
import {
  countDeliveries,
  enqueueDelivery,
  ensureWebhookStream,
  nextDelivery,
  purgeDeliveries,
  storedRetry,
  storeRetry,
  watchDeliveries,
} from './webhook-stream.js';
import { shardOf } from '../webhook-subjects.js';

/** As many webhooks of one shard. */
const webhooksOf = (shard: number, count: number): string[] =>
  Array.from({ length: 100 * count }, (_, n) => `webhook-${n}`)
    .filter((webhook) => shardOf(webhook) === shard)
    .slice(0, count);

describe('the stream of deliveries', { timeout: 120_000 }, () => {
  let nats: TestBus;
  let bus: AdminBus;
  before(async () => {
    nats = await startTestBus();
    bus = await nats.connect('webhooks');
    await ensureWebhookStream(bus);
  });
  after(() => nats.stop());

  const enqueue = (webhook: string, part: string, data = part) =>
    enqueueDelivery(bus, { webhook, object: 'O', part }, { data, id: `${webhook} ${part} ${data}`, replaces: true });

  it('reports every delivery, while others of its shard are replaced and dropped', async () => {
    const [replaced = '', dropped = '', ...others] = webhooksOf(3, 8);
    const seen = new Map<string, number>();
    const watching = await watchDeliveries(bus, 3, (webhook) => seen.set(webhook, (seen.get(webhook) ?? 0) + 1));
    const rounds = Array.from({ length: 30 }, (_, round) => round);
    const work = others.map(async (webhook) => {
      for (const round of rounds) {
        await enqueue(webhook, `${webhook}-${round}`);
        await enqueue(replaced, 'same', `${webhook} ${round}`);
        await purgeDeliveries(bus, dropped, Number.MAX_SAFE_INTEGER);
      }
    });
    await Promise.all(work);
    await eventually(() =>
      assert.deepEqual(
        others.map((webhook) => seen.get(webhook)),
        others.map(() => rounds.length),
      ),
    );
    assert.equal(await countDeliveries(bus, others[0] ?? ''), rounds.length);
    await watching.stop();
  });

  it('has only the newest of deliveries that replace each other', async () => {
    const [webhook = ''] = webhooksOf(4, 1);
    for (const data of ['1', '2', '3']) await enqueue(webhook, 'same', data);
    const first = await nextDelivery(bus, webhook, 1);
    assert.equal(Buffer.from(first?.data ?? []).toString(), '3');
    assert.equal(await nextDelivery(bus, webhook, (first?.seq ?? 0) + 1), null);
  });

  it('drops what waits up to a sequence, and every failed attempt', async () => {
    const [webhook = '', other = ''] = webhooksOf(5, 2);
    for (const part of ['a', 'b', 'c']) for (const one of [webhook, other]) await enqueue(one, part);
    await storeRetry(bus, { webhook, object: 'O' }, '{}');
    const second = await nextDelivery(bus, webhook, ((await nextDelivery(bus, webhook, 1))?.seq ?? 0) + 1);
    await purgeDeliveries(bus, webhook, second?.seq ?? 0);
    assert.equal(Buffer.from((await nextDelivery(bus, webhook, 1))?.data ?? []).toString(), 'c');
    assert.equal(await storedRetry(bus, { webhook, object: 'O' }), null);
    assert.equal(await countDeliveries(bus, other), 3);
  });
});
