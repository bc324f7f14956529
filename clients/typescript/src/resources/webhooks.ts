import type { Transport } from '../http/transport.js';
import { nextOf, type Pages, pagesOf } from '../pages.js';
import type { AnswerOf, BodyOf, CallOptions, QueryOf, Schemas } from '../types.js';

export type Webhook = Schemas['Webhook'];
export type WebhookAttempt = Schemas['WebhookAttempt'];
export type WebhookWithSecret = AnswerOf<'createWebhook'>;
export type WebhookList = AnswerOf<'listWebhooks'>;
export type WebhookDeliveries = AnswerOf<'listWebhookDeliveries'>;
export type QueuedDelivery = AnswerOf<'testWebhook'>;
type NewWebhook = Pick<BodyOf<'createWebhook'>, 'url' | 'events'> & Partial<BodyOf<'createWebhook'>>;

/** Verify deliveries with `verifyWebhook`. */
export const webhooksOf = (transport: Transport) => ({
  /** All webhooks of the account. */
  list: (options?: CallOptions): Promise<WebhookList> =>
    transport.json({ operation: 'listWebhooks' }, options, 'webhooks'),
  /** A webhook, without its secret. */
  get: (webhook_id: string, options?: CallOptions): Promise<Webhook> =>
    transport.json({ operation: 'getWebhook', path: { webhook_id } }, options),
  /** The secret is in this answer only. */
  create: (body: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret> =>
    transport.json({ operation: 'createWebhook', body }, options),
  /** Deletes a webhook and its deliveries. */
  delete: (webhook_id: string, options?: CallOptions): Promise<Webhook> =>
    transport.json({ operation: 'deleteWebhook', path: { webhook_id } }, options),
  /** The new secret is in this answer only. The one before signs for another 24 hours. */
  rotate: (webhook_id: string, options?: CallOptions): Promise<WebhookWithSecret> =>
    transport.json({ operation: 'rotateWebhookSecret', path: { webhook_id } }, options),
  /** Sends events again after the server disabled the webhook. */
  enable: (webhook_id: string, options?: CallOptions): Promise<Webhook> =>
    transport.json({ operation: 'enableWebhook', path: { webhook_id } }, options),
  /** Sends an event of the type `webhook.test`. */
  test: (webhook_id: string, options?: CallOptions): Promise<QueuedDelivery> =>
    transport.json({ operation: 'testWebhook', path: { webhook_id } }, options),
  /** The newest attempts, at most 100. */
  deliveries: (
    webhook_id: string,
    params: QueryOf<'listWebhookDeliveries'> = {},
    options?: CallOptions,
  ): Pages<WebhookAttempt, WebhookDeliveries> =>
    pagesOf<WebhookAttempt, WebhookDeliveries, string>(async (cursor = params.cursor) => {
      const request = {
        operation: 'listWebhookDeliveries',
        path: { webhook_id },
        query: { ...params, cursor },
      } as const;
      const answer = await transport.json<WebhookDeliveries>(request, options, 'deliveries');
      return { answer, items: answer.deliveries, next: nextOf(answer.has_more, answer.next_cursor) };
    }),
  /** Sends a delivery of the log once more. */
  redeliver: (webhook_id: string, delivery_id: string, options?: CallOptions): Promise<QueuedDelivery> =>
    transport.json({ operation: 'redeliverWebhook', path: { webhook_id, delivery_id } }, options),
});
