import { randomUUID } from 'node:crypto';
import { enqueueDelivery } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { DomainError, type InputOf, type OutputOf, type webhooksRpc } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { findWebhook } from '../webhooks/account-webhooks.js';
import { newestSecret } from '../webhooks/webhooks.decider.js';
import { readLog } from './log.js';
import { bodyOf, deliveryIdOf, type QueueEntry } from './queue-entry.js';

/** Queues an event without content. */
export const testWebhook = async (
  deps: WebhooksDeps,
  { webhook_id: id, request_key: unique = randomUUID() }: InputOf<typeof webhooksRpc.test>,
  { caller }: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.test>> => {
  const { time_us, secret } = await sendable(deps, caller, id);
  const body = bodyOf('webhook.test', time_us, { webhook_id: id });
  const entry: QueueEntry = {
    kind: 'message',
    type: 'webhook.test',
    id: deliveryIdOf(id, 'webhook.test', unique),
    body,
    time_us,
    secret,
  };
  return enqueue(deps, entry, { webhook: id, object: 'test', part: unique });
};

/** Queues a delivery of the log again. */
export const redeliver = async (
  deps: WebhooksDeps,
  { webhook_id: id, delivery_id, request_key: part = randomUUID() }: InputOf<typeof webhooksRpc.redeliver>,
  { caller }: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.redeliver>> => {
  const { time_us, secret } = await sendable(deps, caller, id);
  const logged = (await readLog(deps.bus, id)).find(({ attempt }) => attempt.id === delivery_id)?.attempt;
  if (logged === undefined) {
    throw new DomainError(
      'delivery_not_found',
      'The log of this webhook has no delivery with this id. It has the newest 100 attempts.',
    );
  }
  const { type, body, object } = logged;
  const entry: QueueEntry = { kind: 'message', type, id: delivery_id, body, time_us, secret };
  return enqueue(deps, entry, { webhook: id, object, part });
};

/** A request that is sent again queues one delivery: the stream recognises its part for two minutes. */
const enqueue = async (
  { bus }: WebhooksDeps,
  entry: Extract<QueueEntry, { kind: 'message' }>,
  place: { webhook: string; object: string; part: string },
): Promise<{ delivery_id: string }> => {
  await enqueueDelivery(bus, place, { data: JSON.stringify(entry), id: place.part, replaces: false });
  return { delivery_id: entry.id };
};

/** The present, which is never before the time from which events are sent: clocks of processes differ. And the newest secret. */
const sendable = async (
  deps: WebhooksDeps,
  account: string,
  id: string,
): Promise<{ readonly time_us: number; readonly secret: number }> => {
  const webhook = await findWebhook(deps, account, id);
  if (webhook.disabled === null)
    return { time_us: Math.max(unixMicros(), webhook.enabled_us), secret: newestSecret(webhook) };
  throw new DomainError('webhook_disabled', 'This webhook is disabled, so nothing is sent to it. Enable it first.');
};
