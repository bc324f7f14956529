import type { Handlers } from '@almanac/bus/server';
import type { webhooksRpc } from '@almanac/contracts';
import { listDeliveries } from './delivery/list-deliveries.query.js';
import { redeliver, testWebhook } from './delivery/queue-delivery.command.js';
import type { WebhooksDeps } from './webhooks-deps.js';
import { enableWebhook, removeWebhook, rotateSecret } from './webhooks/change-webhook.command.js';
import { createWebhook } from './webhooks/create-webhook.command.js';
import { getWebhook, listWebhooks } from './webhooks/list-webhooks.query.js';

export const webhooksController = (deps: WebhooksDeps): Handlers<typeof webhooksRpc> => ({
  list: (_input, context) => listWebhooks(deps, context),
  get: (input, context) => getWebhook(deps, input, context),
  create: (input, context) => createWebhook(deps, input, context),
  remove: (input, context) => removeWebhook(deps, input, context),
  rotate: (input, context) => rotateSecret(deps, input, context),
  enable: (input, context) => enableWebhook(deps, input, context),
  test: (input, context) => testWebhook(deps, input, context),
  deliveries: (input, context) => listDeliveries(deps, input, context),
  redeliver: (input, context) => redeliver(deps, input, context),
});
