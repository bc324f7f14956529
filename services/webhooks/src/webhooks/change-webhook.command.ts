import type { RpcContext } from '@almanac/bus/server';
import { DomainError, type InputOf, type OutputOf, type webhooksRpc } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { changeWebhooks, loadWebhooks } from './account-webhooks.js';
import { presentWebhook } from './present.js';
import { LostSecretError } from './secrets.js';
import { webhookOf } from './webhooks.decider.js';

export const removeWebhook = async (
  deps: WebhooksDeps,
  { webhook_id: id }: InputOf<typeof webhooksRpc.remove>,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.remove>> => {
  const webhook = webhookOf(await loadWebhooks(deps, context.caller), id);
  await changeWebhooks(deps, { type: 'delete', id }, context);
  return presentWebhook(webhook);
};

export const rotateSecret = async (
  deps: WebhooksDeps,
  { webhook_id: id }: InputOf<typeof webhooksRpc.rotate>,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.rotate>> => {
  const overlaps = deps.secrets.holds(webhookOf(await loadWebhooks(deps, context.caller), id));
  const { derivedFrom } = deps.secrets;
  const state = await changeWebhooks(deps, { type: 'rotate', id, us: unixMicros(), derivedFrom, overlaps }, context);
  const webhook = webhookOf(state, id);
  return { ...presentWebhook(webhook), secret: deps.secrets.current(webhook) };
};

export const enableWebhook = async (
  deps: WebhooksDeps,
  { webhook_id: id }: InputOf<typeof webhooksRpc.enable>,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.enable>> => {
  const webhook = webhookOf(await loadWebhooks(deps, context.caller), id);
  if (!deps.secrets.holds(webhook)) throw new DomainError('invalid_input', new LostSecretError().message);
  const state = await changeWebhooks(deps, { type: 'enable', id, us: unixMicros() }, context);
  return presentWebhook(webhookOf(state, id));
};
