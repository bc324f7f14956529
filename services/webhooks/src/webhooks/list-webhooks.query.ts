import type { RpcContext } from '@almanac/bus/server';
import { type InputOf, type OutputOf, webhooksMax, type webhooksRpc } from '@almanac/contracts';
import type { WebhooksDeps } from '../webhooks-deps.js';
import { findWebhook, loadWebhooks } from './account-webhooks.js';
import { presentWebhook } from './present.js';

/** The newest first. */
export const listWebhooks = async (
  deps: WebhooksDeps,
  { caller }: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.list>> => {
  const webhooks = (await loadWebhooks(deps, caller))?.webhooks ?? [];
  return {
    count: webhooks.length,
    limit: webhooksMax,
    webhooks: webhooks.toReversed().map((webhook) => presentWebhook(webhook)),
  };
};

export const getWebhook = async (
  deps: WebhooksDeps,
  { webhook_id: id }: InputOf<typeof webhooksRpc.get>,
  { caller }: RpcContext,
): Promise<OutputOf<typeof webhooksRpc.get>> => presentWebhook(await findWebhook(deps, caller, id));
