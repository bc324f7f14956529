import { randomUUID } from 'node:crypto';
import { webhookBody, webhooksRpc } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { forwarding, type Route } from './route.js';

const byId = { path: webhooksRpc.get.input };

export const webhookRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/webhooks',
    doc: {
      operationId: 'listWebhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      description: 'Returns all webhooks of the account, newest first, without their secrets.',
    },
    given: {},
    contract: webhooksRpc.list,
    input: () => ({}),
  }),
  forwarding({
    method: 'post',
    path: '/webhooks',
    doc: {
      operationId: 'createWebhook',
      tag: 'Webhooks',
      summary: 'Create a webhook',
      description:
        'The server sends events to the `url` from now on, as `POST` requests in the form of [Standard Webhooks](https://www.standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, and a JSON body with `type`, `timestamp` and `data`. Verify the signature with the secret in this answer, which is the only one that shows it. The clients for TypeScript and Python have a function for this.\n\nA delivery succeeds if the answer has a status from 200 to 299 within 15 seconds. Otherwise it is sent again: after 5 and 30 seconds, 2, 10 and 30 minutes, 1 hour, then every 2 hours. An address that still fails 24 hours after the first failure, or that answers 410, disables the webhook with a reason. Events of a disabled webhook are not sent later.\n\nEach event is sent at least once. Recognise repetitions by `webhook-id`. Events of one export, and of one market, are sent in order.\n\n`data` of an export event is the export without its link: read it with `GET /exports/{export_id}`. `data` of `market.settled` is the market, and of `market.data_changed` its ticker, its data version and the bounds of its observations. Both are read when they are sent, so changes that wait together are sent once, as the newest state.',
    },
    given: { body: webhookBody },
    contract: webhooksRpc.create,
    input: ({ body }, { idempotencyKey }) => ({
      ...body,
      idempotency_key: idempotencyKey,
      requested_us: unixMicros(),
    }),
  }),
  forwarding({
    method: 'get',
    path: '/webhooks/:webhook_id',
    doc: {
      operationId: 'getWebhook',
      tag: 'Webhooks',
      summary: 'Get a webhook',
      description: 'Its secret is not shown again: `POST /webhooks/{webhook_id}/rotate` makes another.',
    },
    given: byId,
    contract: webhooksRpc.get,
    input: ({ path }) => path,
  }),
  forwarding({
    method: 'delete',
    path: '/webhooks/:webhook_id',
    doc: {
      operationId: 'deleteWebhook',
      tag: 'Webhooks',
      summary: 'Delete a webhook',
      description: 'Returns the webhook as it was. Deliveries that wait are dropped.',
    },
    given: byId,
    contract: webhooksRpc.remove,
    input: ({ path }) => ({ ...path, request_key: randomUUID() }),
  }),
  forwarding({
    method: 'post',
    path: '/webhooks/:webhook_id/rotate',
    doc: {
      operationId: 'rotateWebhookSecret',
      tag: 'Webhooks',
      summary: 'Rotate the secret of a webhook',
      description:
        'Returns a new secret, which only this answer shows. For 24 hours, deliveries have two signatures: of the new secret and of the one before. A receiver accepts a delivery if one of them is right. A second rotation within this time ends the first secret at once.',
    },
    given: byId,
    contract: webhooksRpc.rotate,
    input: ({ path }) => ({ ...path, request_key: randomUUID() }),
  }),
  forwarding({
    method: 'post',
    path: '/webhooks/:webhook_id/enable',
    doc: {
      operationId: 'enableWebhook',
      tag: 'Webhooks',
      summary: 'Enable a webhook',
      description:
        'The server sends events again from now on, not those of the time in which the webhook was disabled. Enabling an enabled webhook changes nothing.',
    },
    given: byId,
    contract: webhooksRpc.enable,
    input: ({ path }) => ({ ...path, request_key: randomUUID() }),
  }),
  forwarding({
    method: 'post',
    path: '/webhooks/:webhook_id/test',
    doc: {
      operationId: 'testWebhook',
      tag: 'Webhooks',
      summary: 'Send a test event',
      description: 'Sends an event of the type `webhook.test`. Its attempts are in the log.',
    },
    given: byId,
    contract: webhooksRpc.test,
    input: ({ path }) => ({ ...path, request_key: randomUUID() }),
  }),
  forwarding({
    method: 'get',
    path: '/webhooks/:webhook_id/deliveries',
    doc: {
      operationId: 'listWebhookDeliveries',
      tag: 'Webhooks',
      summary: 'List delivery attempts',
      description:
        'Returns the newest attempts to deliver to a webhook, newest first. The log has the newest 100 attempts of the last 30 days.',
    },
    given: { ...byId, query: webhooksRpc.deliveries.input.omit({ webhook_id: true }) },
    contract: webhooksRpc.deliveries,
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
  forwarding({
    method: 'post',
    path: '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    doc: {
      operationId: 'redeliverWebhook',
      tag: 'Webhooks',
      summary: 'Send a delivery again',
      description:
        'Sends a delivery of the log again, with the same id and body and a new timestamp and signature, after what waits for its object.',
    },
    given: { path: webhooksRpc.redeliver.input.omit({ request_key: true }) },
    contract: webhooksRpc.redeliver,
    input: ({ path }) => ({ ...path, request_key: randomUUID() }),
  }),
];
