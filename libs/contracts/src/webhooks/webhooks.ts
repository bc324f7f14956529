import { z } from 'zod';
import { cursor, cursorPage, limitOf } from '../requests/paging.js';
import { contract } from '../requests/rpc.js';
import { webhookEventType, webhookEventTypes, webhooksMax } from './webhook-events.js';

/** Tickers, and series, that one webhook names. They bound the stored state of an account. */
const filtersMax = 50;

const time = z.number();
const webhookId = z.string().meta({ description: 'Id of the webhook', examples: ['7hq2mz0b4k9c1d5e8f'] });

const webhookFields = z.object({
  id: webhookId,
  url: z
    .string()
    .meta({ description: 'Address that gets the deliveries', examples: ['https://research.example.com/almanac'] }),
  description: z.string().meta({ description: 'Display name', examples: ['notebook refresh'] }),
  events: z
    .array(webhookEventType)
    .meta({ description: 'Types of events that are sent', examples: [['export.ready', 'export.failed']] }),
  tickers: z
    .array(z.string())
    .meta({ description: 'Tickers of the markets whose events are sent', examples: [['KXBTC15M-26FEB242330-30']] }),
  series: z.array(z.string()).meta({ description: 'Series whose markets’ events are sent', examples: [['KXBTC15M']] }),
  created_ts: time.meta({
    description: 'Time when the webhook was created, in Unix seconds',
    examples: [1771992900.5],
  }),
  status: z
    .enum(['enabled', 'disabled'])
    .meta({ description: 'Status. A disabled webhook gets no deliveries', examples: ['enabled'] }),
  disabled_reason: z.string().nullable().meta({
    description: 'Why the server disabled the webhook. Null if it is enabled',
  }),
  disabled_ts: time.nullable().meta({
    description: 'Time when the server disabled the webhook, in Unix seconds. Null if it is enabled',
  }),
  previous_secret_expires_ts: time.nullable().meta({
    description:
      'Until this time, in Unix seconds, deliveries also have a signature of the secret before. Null without one',
  }),
});
export const webhook = webhookFields.meta({ id: 'Webhook', description: 'A webhook without its secret.' });
export type Webhook = z.infer<typeof webhook>;

const withSecret = webhookFields
  .extend({
    secret: z.string().nullable().meta({
      description:
        'The secret that signs deliveries, in the form of Standard Webhooks. It is shown only in this answer. Null if this answer repeats an earlier one',
    }),
    secret_already_shown: z
      .boolean()
      .meta({
        description:
          'True if an earlier request with the same `Idempotency-Key` created the webhook. Then `secret` is null',
      })
      .optional(),
  })
  .meta({ id: 'WebhookWithSecret', description: 'A webhook with its new secret.' });

const names = (what: string, example: string) =>
  z
    .array(z.string().min(1).max(200))
    .max(filtersMax)
    .default([])
    .meta({
      description: `${what}. Events of markets need at least one ticker or series. Up to ${filtersMax}`,
      examples: [[example]],
    });

export const webhookBody = z
  .object({
    url: z
      .string()
      .min(1)
      .max(500)
      .meta({
        description:
          'Address that gets the deliveries, 1 to 500 characters: `https`, without a user name, at a public host. The server follows no redirect',
        examples: ['https://research.example.com/almanac'],
      }),
    events: z
      .array(webhookEventType)
      .min(1)
      .max(webhookEventTypes.length)
      .meta({ description: 'Types of events to send', examples: [['export.ready', 'export.failed']] }),
    tickers: names('Send events of these markets', 'KXBTC15M-26FEB242330-30'),
    series: names('Send events of all markets of these series', 'KXBTC15M'),
    description: z
      .string()
      .max(80)
      .default('')
      .meta({ description: 'Display name, up to 80 characters', examples: ['notebook refresh'] }),
  })
  .meta({ id: 'WebhookBody' });

const deliveryId = z.string().meta({
  description: 'Id of the delivery, which is its `webhook-id` header',
  examples: ['msg_5f0c3a1be2d94c7788aa'],
});

/** One attempt of a delivery, as the log has it. */
const webhookAttempt = z
  .object({
    id: deliveryId,
    type: z.string().meta({ description: 'Type of the event', examples: ['export.ready'] }),
    object: z.string().meta({
      description: 'Id of the export, or ticker of the market. Deliveries of one object are sent in order',
      examples: ['KXBTC15M-26FEB242330-30'],
    }),
    attempt: z
      .int()
      .min(1)
      .meta({ description: 'Number of the attempt, from 1', examples: [1] }),
    status: z
      .enum(['succeeded', 'failed'])
      .meta({ description: 'Whether the address answered with a status from 200 to 299', examples: ['succeeded'] }),
    sent_ts: time.meta({ description: 'Time of the attempt, in Unix seconds', examples: [1771992900.5] }),
    duration_ms: z
      .int()
      .min(0)
      .meta({ description: 'Duration of the attempt in milliseconds', examples: [84] }),
    response_status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the answer. Null without an answer', examples: [200] }),
    error: z.string().nullable().meta({ description: 'Why the attempt failed. Null if it succeeded' }),
    next_attempt_ts: time.nullable().meta({
      description: 'Time of the next attempt, in Unix seconds. Null if there is none',
    }),
  })
  .meta({ id: 'WebhookAttempt', description: 'An attempt to deliver an event.' });
export type WebhookAttempt = z.infer<typeof webhookAttempt>;

const byId = z.object({ webhook_id: webhookId });
/** The caller makes a key for each request. It is no `Idempotency-Key` of a client, and is recognised for seconds. */
const change = byId.extend({ request_key: z.string().optional() });
const queued = z.object({ delivery_id: deliveryId }).meta({ id: 'WebhookDelivery', description: 'A queued delivery.' });

export const webhooksRpc = {
  list: contract({
    service: 'webhooks',
    method: 'list',
    kind: 'query',
    input: z.object({}),
    output: z
      .object({
        count: z
          .int()
          .min(0)
          .meta({ description: 'Number of webhooks', examples: [1] }),
        limit: z.int().meta({ description: 'Maximum number of webhooks of an account', examples: [webhooksMax] }),
        webhooks: z.array(webhook).meta({ description: 'All webhooks of the account, newest first' }),
      })
      .meta({ id: 'WebhooksResponse' }),
    errors: [],
    timeoutMs: 5_000,
  }),
  get: contract({
    service: 'webhooks',
    method: 'get',
    kind: 'query',
    input: byId,
    output: webhook,
    errors: ['webhook_not_found'],
    timeoutMs: 5_000,
  }),
  create: contract({
    service: 'webhooks',
    method: 'create',
    kind: 'command',
    repeats: 'with key',
    input: webhookBody.extend({ idempotency_key: z.string().nullish(), requested_us: z.int().optional() }),
    output: withSecret,
    errors: ['invalid_input', 'webhook_limit_reached', 'webhook_daily_limit', 'idempotency_conflict', 'conflict'],
    timeoutMs: 5_000,
  }),
  remove: contract({
    service: 'webhooks',
    method: 'remove',
    kind: 'command',
    repeats: 'with key',
    input: change,
    output: webhook,
    errors: ['webhook_not_found', 'conflict'],
    timeoutMs: 5_000,
  }),
  rotate: contract({
    service: 'webhooks',
    method: 'rotate',
    kind: 'command',
    repeats: 'with key',
    input: change,
    output: withSecret,
    errors: ['webhook_not_found', 'webhook_daily_limit', 'conflict'],
    timeoutMs: 5_000,
  }),
  enable: contract({
    service: 'webhooks',
    method: 'enable',
    kind: 'command',
    repeats: 'with key',
    input: change,
    output: webhook,
    errors: ['webhook_not_found', 'webhook_daily_limit', 'conflict'],
    timeoutMs: 5_000,
  }),
  test: contract({
    service: 'webhooks',
    method: 'test',
    kind: 'command',
    repeats: 'with key',
    input: change,
    output: queued,
    errors: ['webhook_not_found', 'webhook_disabled'],
    timeoutMs: 5_000,
  }),
  deliveries: contract({
    service: 'webhooks',
    method: 'deliveries',
    kind: 'query',
    input: byId.extend({ limit: limitOf(100, 50), cursor }),
    output: z
      .object({
        count: z
          .int()
          .min(0)
          .meta({ description: 'Number of attempts in this answer', examples: [1] }),
        deliveries: z.array(webhookAttempt).meta({ description: 'Attempts, newest first' }),
        ...cursorPage,
      })
      .meta({ id: 'WebhookDeliveriesResponse' }),
    errors: ['webhook_not_found', 'invalid_cursor'],
    timeoutMs: 5_000,
  }),
  redeliver: contract({
    service: 'webhooks',
    method: 'redeliver',
    kind: 'command',
    repeats: 'with key',
    input: change.extend({ delivery_id: deliveryId }),
    output: queued,
    errors: ['webhook_not_found', 'delivery_not_found', 'webhook_disabled'],
    timeoutMs: 5_000,
  }),
};
