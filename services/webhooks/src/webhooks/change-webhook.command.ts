import { randomUUID } from 'node:crypto';
import type { RpcContext } from '@almanac/bus/server';
import { DomainError, type InputOf, notFound, type OutputOf, type webhooksRpc } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { changeWebhooks, findWebhook } from './account-webhooks.js';
import { presentWebhook } from './present.js';
import { LostSecretError } from './secrets.js';
import { requestOfKey, webhookOf } from './webhooks.decider.js';

export const removeWebhook = async (
  deps: WebhooksDeps,
  { webhook_id: id, request_key: request = randomUUID() }: InputOf<typeof webhooksRpc.remove>,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.remove>> => {
  const state = await changeWebhooks(deps, { type: 'delete', id, request }, context);
  const deleted = requestOfKey(state, request)?.deleted;
  if (deleted === undefined) throw notFound('webhook_not_found', id);
  return presentWebhook(deleted);
};

export const rotateSecret = async (
  deps: WebhooksDeps,
  { webhook_id: id, request_key: request = randomUUID() }: InputOf<typeof webhooksRpc.rotate>,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.rotate>> => {
  const overlaps = deps.secrets.holds(await findWebhook(deps, context.caller, id));
  const { derivedFrom } = deps.secrets;
  const rotate = { type: 'rotate', id, us: unixMicros(), derivedFrom, overlaps, request } as const;
  const state = await changeWebhooks(deps, rotate, context);
  const webhook = webhookOf(state, id);
  // A request that is sent again shows the secret that it made, unless two later ones ended it.
  const version = requestOfKey(state, request)?.version;
  const secrets = webhook.secrets.filter((secret) => secret.version === version);
  const secret = secrets.length === 0 ? null : deps.secrets.current({ ...webhook, secrets });
  return { ...presentWebhook(webhook), secret };
};

export const enableWebhook = async (
  deps: WebhooksDeps,
  { webhook_id: id, request_key: request = randomUUID() }: InputOf<typeof webhooksRpc.enable>,
  context: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.enable>> => {
  const webhook = await findWebhook(deps, context.caller, id);
  if (!deps.secrets.holds(webhook)) throw new DomainError('invalid_input', new LostSecretError().message);
  const state = await changeWebhooks(deps, { type: 'enable', id, us: unixMicros(), request }, context);
  return presentWebhook(webhookOf(state, id));
};
